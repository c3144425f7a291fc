import { Hono } from 'hono'

const app = new Hono()

// What the platform binds is outside of the program: a wait on it is not free.
app.get('/rows', async (c) => {
  const rows = await c.env.DB.prepare('select 1').all()
  const kept = await c.env.CACHE.get('rows')
  return c.json({ rows, kept })
})

// A text that is bound waits for nothing.
app.get('/flag', async (c) => c.text(c.env.FLAG === 'on' ? 'on' : 'off'))

export default app

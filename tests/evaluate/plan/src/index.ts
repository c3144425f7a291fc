import { Hono } from 'hono'

const app = new Hono()

app.get('/state', async (c) => {
  const answer = await fetch('https://api.example.com/state', { signal: AbortSignal.timeout(2_000) })
  return c.text(String(answer.status))
})

export default app

import { Hono } from 'hono'

const app = new Hono()
const codes = new Set(['ECONNREFUSED', 'ETIMEDOUT'])

// A walk through a tree to a depth that is known: every call has two calls of its own.
const refused = (error: any, depth = 0): boolean => {
  if (!error || typeof error !== 'object' || depth > 8) return false
  const { code, errors, cause } = error
  if (typeof code === 'string' && codes.has(code)) return true
  if (Array.isArray(errors) && errors.some((nested: any) => refused(nested, depth + 1))) return true
  return refused(cause, depth + 1)
}

app.get('/state', async (c) => {
  try {
    const answer = await fetch('https://api.example.com/state', { signal: AbortSignal.timeout(2_000) })
    return c.text(String(answer.status))
  } catch (error) {
    return c.text(refused(error) ? 'refused' : 'failed')
  }
})

export default app

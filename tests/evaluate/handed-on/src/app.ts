import { Hono } from 'hono'

const app = new Hono()
const limits: Record<string, number> = { fast: 1_000, slow: 4_000 }

// Its own call hands on what its caller chose: that is no choice of a limit at another place.
// Worst: 1 s and, after a failure, 1 s again.
const ask = async (mode = 'fast', left = 1): Promise<string> => {
  try {
    const answer = await fetch('https://api.example.com/ask', { signal: AbortSignal.timeout(limits[mode]) })
    return String(answer.status)
  } catch (error) {
    if (left > 0) return ask(mode, left - 1)
    return 'none'
  }
}

// Its own call chooses another limit than its default: whoever leaves it out has a choice to make.
// Worst: 1 s and, after a failure, 4 s.
const look = async (mode = 'fast', left = 1): Promise<string> => {
  try {
    const answer = await fetch('https://api.example.com/look', { signal: AbortSignal.timeout(limits[mode]) })
    return String(answer.status)
  } catch (error) {
    if (left > 0) return look('slow', left - 1)
    return 'none'
  }
}

app.get('/ask', async (c) => c.text(await ask()))
app.get('/look', async (c) => c.text(await look()))

export default app

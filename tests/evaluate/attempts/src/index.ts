// Loops, and whether their turns are attempts of one thing. An attempt takes 2 s, a wait 1 s.
import { Hono } from 'hono'

const app = new Hono()
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const get = (path: string) =>
  fetch(`https://api.example.com/${path}`, { signal: AbortSignal.timeout(2_000) })
const posted = () => ({ method: 'POST', signal: AbortSignal.timeout(2_000) })

// Five attempts: 5 x 2 + 5 x 1 = 15 s. retry-amplification.
app.get('/counted', async (c) => {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      return c.text(String((await get('counted')).status))
    } catch {
      await sleep(1_000)
    }
  }
  return c.text('gave up')
})

// Two attempts of a write: 2 + 1 + 2 = 5 s. unsafe-retry.
app.post('/write', async (c) => {
  let attempt = 0
  while (true) {
    try {
      const answer = await fetch('https://api.example.com/write', posted())
      return c.text(String(answer.status))
    } catch (error) {
      attempt += 1
      if (attempt >= 2) throw error
      await sleep(1_000)
    }
  }
})

// Two attempts, inside of two: 2 x (2 + 2) = 8 s, four attempts. retry-amplification.
async function twice<T>(work: () => Promise<T>): Promise<T> {
  let last: unknown
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return await work()
    } catch (error) {
      last = error
    }
  }
  throw last
}
app.get('/nested', async (c) => {
  const answer = await twice(() => twice(() => get('nested')))
  return c.text(String(answer.status))
})

// A status that is thrown is a failure like another, and a break is a way out. Five attempts of
// 2 s: 10 s. retry-amplification.
app.get('/thrown', async (c) => {
  let answer: Response | undefined
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const response = await get('thrown')
      if (!response.ok) throw new Error('bad status')
      answer = response
      break
    } catch {
      // again
    }
  }
  return c.text(String(answer?.status))
})

// Two attempts, which is as many as are allowed: nothing.
app.get('/few', async (c) => {
  return c.text(String((await twice(() => get('few'))).status))
})

// One attempt and its wait take all of the 3 s that the deadline leaves: unreachable-retries.
app.get('/late', async (c) => {
  const work = async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        return (await get('late')).status
      } catch {
        await sleep(1_000)
      }
    }
    return 0
  }
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), 3_000))
  return c.text(String(await Promise.race([work(), late])))
})

// Pages: what succeeded is followed by the next. Nothing.
app.get('/pages', async (c) => {
  let seen = 0
  for (let page = 0; page < 5; page++) {
    const response = await get('pages')
    seen += response.status
  }
  return c.text(String(seen))
})

// Polling: it asks again after an answer. Nothing.
app.get('/polled', async (c) => {
  for (let turn = 0; turn < 5; turn++) {
    const response = await get('polled')
    if (response.headers.get('x-done')) return c.text('done')
    await sleep(1_000)
  }
  return c.text('not yet')
})

// Five writes, each of which may fail: the next one is another. Nothing.
app.post('/items', async (c) => {
  for (let index = 0; index < 5; index++) {
    try {
      await fetch('https://api.example.com/items', posted())
    } catch {
      // the next one
    }
  }
  return c.text('done')
})

// Five places, of which the first that answers will do: each is asked once. Nothing.
const places = ['a', 'b', 'c', 'd', 'e']
app.get('/places', async (c) => {
  for (let index = 0; index < 5; index++) {
    try {
      return c.text(String((await get(places[index])).status))
    } catch {
      // the next one
    }
  }
  return c.text('nowhere')
})

// Allowed.
app.post('/allowed', async (c) => {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      // overrun: allow(unsafe-retry) reason="the far side knows the order by its number"
      const answer = await fetch('https://api.example.com/allowed', posted())
      return c.text(String(answer.status))
    } catch {
      // again
    }
  }
  return c.text('gave up')
})

export default app

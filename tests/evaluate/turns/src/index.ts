// Work that waits its turn where the turn is a number, a flag or a list: what one function does
// while another waits is not followed. Each route says that something is not known, and none
// gives a figure as if all began at once.
import { Hono } from 'hono'

const app = new Hono()

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

class Semaphore {
  private waiting: (() => void)[] = []
  private running = 0
  constructor(private most: number) {}
  async take() {
    if (this.running < this.most) {
      this.running++
      return
    }
    await new Promise<void>((resolve) => this.waiting.push(resolve))
    this.running++
  }
  give() {
    this.running--
    this.waiting.shift()?.()
  }
  async run<T>(work: () => Promise<T>) {
    await this.take()
    try {
      return await work()
    } finally {
      this.give()
    }
  }
}

// One after the other: 15 s. The second and third wait for a callback.
app.get('/semaphore', async (c) => {
  const semaphore = new Semaphore(1)
  await Promise.all([1, 2, 3].map(() => semaphore.run(() => sleep(5_000))))
  return c.text('done')
})

// One after the other, each looking every 100 ms: 15 s. That others come to an end is not seen.
app.get('/flag', async (c) => {
  let busy = false
  const run = async () => {
    while (busy) await sleep(100)
    busy = true
    await sleep(5_000)
    busy = false
  }
  await Promise.all([run(), run(), run()])
  return c.text('done')
})

// The last of them settles the promise, after 3 s: nobody knows which is the last.
app.get('/last', async (c) => {
  await new Promise<void>((resolve) => {
    let left = 3
    for (const seconds of [1, 2, 3]) {
      ;(async () => {
        await sleep(seconds * 1_000)
        if (--left === 0) resolve()
      })()
    }
  })
  return c.text('done')
})

export default app

import { Hono } from 'hono'

const app = new Hono()

const get = (path: string, ms: number) =>
  fetch(`https://api.example.com/${path}`, { signal: AbortSignal.timeout(ms) })

// A walk to a depth that the test decides, whatever the node is: 0, 1 and 2 wait, 3 s in all.
const walk = async (node: any, depth = 0): Promise<void> => {
  if (!node || depth > 2) return
  await get('node', 1_000)
  await walk(node.next, depth + 1)
}

app.post('/walk', async (c) => {
  await walk(await c.req.json())
  return c.text('done')
})

// A walk over data that cannot wait: what it gives is data, and both ways on are possible.
// Worst: 2 s, and 1 s behind a failure.
const secret = ['password', 'token']
const redact = (value: any, seen: WeakSet<any> = new WeakSet()): any => {
  if (value && typeof value === 'object') {
    if (seen.has(value)) return 'again'
    seen.add(value)
  }
  if (Array.isArray(value)) return value.map((item: any) => redact(item, seen))
  if (value && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => (secret.includes(key) ? [key, '***'] : [key, redact(item, seen)])),
    )
  }
  return value
}

app.post('/redact', async (c) => {
  const body = await c.req.json()
  const entry = {
    actor: { id: body.id, name: body.name, tags: [body.a, body.b, { more: body.more }] },
    target: { id: body.target, kind: body.kind, inner: { left: body.left, right: body.right } },
    changes: { before: { x: body.x, y: body.y }, after: { x: body.x, y: body.z, w: { v: body.v } } },
  }
  const shown = redact(entry)
  try {
    await get('shown', 2_000)
  } catch (error) {
    await get(shown.actor ? 'left' : 'right', 1_000)
  }
  return c.text('done')
})

// A walk that counts and whose end a test of something unknown decides: it is a loop without a
// bound, not one that is followed to the end of all steps.
const items = async (path: string, depth: number, found: { count: number }): Promise<string[]> => {
  const answer = await get('items', 1_000)
  const list = await answer.json()
  const result: string[] = []
  if (tooDeep(depth, list)) return result
  for (const item of list) {
    found.count++
    if (item.kind === 'file') {
      result.push(item.path)
    } else {
      result.push(...(await items(item.path, depth + 1, found)))
      if (item.twice) result.push(...(await items(item.other, depth + 1, found)))
    }
  }
  return result
}
declare function tooDeep(depth: number, list: unknown): boolean

app.get('/items', async (c) => {
  const found = await items('/', 0, { count: 0 })
  await get('end', 1_000)
  return c.json(found)
})

export default app

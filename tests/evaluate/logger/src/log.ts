const levels = { debug: 10, info: 20, error: 30 }
const least = 20
const secret = ['password', 'token', 'cookie', 'authorization']

type Fields = Record<string, unknown>

const hidden = (key: string) => secret.some((word) => key.toLowerCase() === word)

const shown = (value: unknown, depth: number): unknown => {
  if (depth > 3) return '...'
  if (Array.isArray(value)) return value.map((item) => shown(item, depth + 1))
  if (value && typeof value === 'object') {
    const copy: Fields = {}
    for (const [key, item] of Object.entries(value)) {
      copy[key] = hidden(key) ? '***' : shown(item, depth + 1)
    }
    return copy
  }
  return value
}

const line = (level: string, message: string, fields: Fields) =>
  JSON.stringify({ at: new Date().toISOString(), level, message, fields: shown(fields, 0) })

export const log = (level: 'debug' | 'info' | 'error', message: string, fields: Fields = {}) => {
  if (levels[level] < least) return
  const text = line(level, message, fields)
  if (level === 'error') console.error(text)
  else console.log(text)
}

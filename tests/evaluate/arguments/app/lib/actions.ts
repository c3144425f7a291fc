'use server'

// What an action is called with is data: a test of it is not decided.
export async function organisation(installation: number, owner: string, repository: string) {
  if (!installation || !owner || !repository) {
    return null
  }
  const answer = await fetch('https://api.example.com/organisation', {
    signal: AbortSignal.timeout(3_000),
  })
  return answer.status
}

// A parameter with a default may be absent, and may not.
export async function search(text: string, patience = 2_000) {
  const answer = await fetch('https://api.example.com/search?q=' + text, {
    signal: AbortSignal.timeout(5_000),
  })
  return answer.ok ? patience : null
}

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'

/** Each server with sessions, and the same server without. */
const httpWays = [
  { name: 'node:http', base: 'node', way: 'none' },
  { name: 'node:http + latchkey', base: 'node', way: 'latchkey' },
  { name: 'node:http + better-auth', base: 'node', way: 'better-auth' },
  { name: 'express', base: 'express', way: 'none' },
  { name: 'express + express-session', base: 'express', way: 'express-session' },
] as const

/** Requests per second for each server, one figure for each round. */
export async function measureHttp(rounds: number, seconds: number): Promise<Record<string, number[]>> {
  const servers = await Promise.all(httpWays.map(async (way) => ({ name: way.name, ...(await start(way)) })))
  const figures: Record<string, number[]> = Object.fromEntries(servers.map(({ name }) => [name, []]))
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const { name, url, cookie } of servers) {
        const { requests, non2xx } = await autocannon({ url, headers: { cookie }, connections: 32, duration: seconds })
        if (non2xx > 0) throw new Error(`${name} refused ${non2xx} requests`)
        if (round > 0) figures[name]?.push(requests.average)
      }
    }
  } finally {
    for (const { child } of servers) child.disconnect()
  }
  return figures
}

async function start({ base, way }: { base: string; way: string }): Promise<{
  readonly child: ChildProcess
  readonly url: string
  readonly cookie: string
}> {
  const file = fileURLToPath(new URL('sessions-server.ts', import.meta.url))
  const execArgv = ['--conditions=@latchkey/source', '--no-warnings']
  const child = fork(file, [base, way], { execArgv, env: { ...process.env, NODE_ENV: 'production' } })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the server with ${way} ended`)))
  const [{ port, cookie }] = await Promise.race([once(child, 'message'), ended])
  ended.catch(() => {})
  const url = `http://127.0.0.1:${port}`
  if (cookie !== 'ask /sign-in') return { child, url, cookie }
  const response = await fetch(`${url}/sign-in`)
  return { child, url, cookie: `theme=dark; ${response.headers.getSetCookie()[0]?.split(';')[0]}` }
}

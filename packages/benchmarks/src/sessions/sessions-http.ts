import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { atLeast, type PartReport, type PartRun } from '../part.ts'
import { measureRounds, type Rounds } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { formatNumber, formatRatio } from '../table.ts'

/** Each server with sessions, and the same server without; one that only waits for a promise is the limit of any. */
const httpWays = [
  { name: 'node:http', base: 'node', way: 'none' },
  { name: 'node:http + a promise', base: 'node', way: 'promise' },
  { name: 'node:http + latchkey', base: 'node', way: 'latchkey' },
  { name: 'node:http + better-auth', base: 'node', way: 'better-auth' },
  { name: 'express', base: 'express', way: 'none' },
  { name: 'express + express-session', base: 'express', way: 'express-session' },
] as const

/** Requests per second for each server. */
export async function measureSessionsHttp(run: PartRun): Promise<PartReport> {
  const servers = new Map<string, Server>()
  for (const way of httpWays) servers.set(way.name, await start(way))
  try {
    for (const [name, server] of servers) await load(name, server, 1)
    const figures = await measureRounds(run, [...servers.keys()], async (name) => {
      const server = servers.get(name)
      return server ? load(name, server, run.seconds) : Number.NaN
    })
    return report(figures)
  } finally {
    for (const { child } of servers.values()) child.disconnect()
  }
}

function report(figures: Rounds<number>): PartReport {
  const base = (name: string): number[] | undefined => figures[name.split(' + ')[0] ?? '']
  const rows = Object.entries(figures).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    base(name) === rounds ? '' : formatRatio(medianRatio(rounds, base(name))),
  ])
  const latchkey = 'node:http + latchkey'
  const ratio = medianRatio(figures[latchkey], base(latchkey))
  return {
    tables: [
      {
        title: '32 connections, the same cookies for every server of a kind',
        head: ['server', 'requests/s', 'of the same without sessions'],
        rows,
      },
    ],
    targets: [atLeast(0.95, 'requests/s, × the same server without sessions', latchkey, ratio)],
    figures,
  }
}

async function load(name: string, { url, cookie }: Server, seconds: number): Promise<number> {
  const { requests, non2xx } = await autocannon({ url, headers: { cookie }, connections: 32, duration: seconds })
  if (non2xx > 0) throw new Error(`${name} refused ${non2xx} requests`)
  return requests.average
}

interface Server {
  readonly child: ChildProcess
  readonly url: string
  readonly cookie: string
}

async function start({ base, way }: { base: string; way: string }): Promise<Server> {
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

import { writeRequest } from '../load/connection.ts'
import { endServer, forkServer } from '../load/fork-server.ts'
import { type LoadTarget, openTarget } from '../load/load-target.ts'
import { pinLoad } from '../load/own-core.ts'
import { writeSliceTable } from '../load/slice-table.ts'
import { extraMicroseconds, measureSlices, type Slices } from '../load/slices.ts'
import { noPostgres, openStorePlaces, type StorePlaces } from '../load/store-places.ts'
import { atMost, type PartReport, type PartRun, type Target } from '../part.ts'
import { formatNumber, type Table } from '../table.ts'

interface HttpWay {
  readonly name: string
  readonly base: 'node' | 'express'
  readonly way: string
  readonly store?: 'SQLite' | 'PostgreSQL'
}

const ours = 'node:http + latchkey'
const byHand = 'node:http + the least code'

/**
 * Each server with sessions, and the same server without them; the way `promise` shows the cost of any asynchronous
 * store.
 */
const httpWays: readonly HttpWay[] = [
  { name: 'node:http', base: 'node', way: 'none' },
  { name: 'node:http + a promise', base: 'node', way: 'promise' },
  { name: `${ours}, memory`, base: 'node', way: 'latchkey' },
  { name: `${ours}, SQLite`, base: 'node', way: 'latchkey, SQLite', store: 'SQLite' },
  { name: `${ours}, PostgreSQL`, base: 'node', way: 'latchkey, PostgreSQL', store: 'PostgreSQL' },
  { name: `${byHand}, memory`, base: 'node', way: 'by hand, memory' },
  { name: `${byHand}, SQLite`, base: 'node', way: 'by hand, SQLite', store: 'SQLite' },
  { name: `${byHand}, PostgreSQL`, base: 'node', way: 'by hand, PostgreSQL', store: 'PostgreSQL' },
  { name: 'node:http + better-auth', base: 'node', way: 'better-auth' },
  { name: 'express', base: 'express', way: 'none' },
  { name: 'express + express-session', base: 'express', way: 'express-session' },
]

/** Measures the cost of a request's session on an otherwise idle server. */
export async function measureSessionsHttp(run: PartRun): Promise<PartReport> {
  // Before a database starts, which inherits it.
  pinLoad()
  const places = await openStorePlaces()
  const targets: LoadTarget[] = []
  try {
    for (const way of httpWays) {
      run.progress(`starting ${way.name}`)
      const target = await start(way, places)
      if (target) targets.push(target)
    }
    return report(await measureSlices(run, targets), places.postgresUrl === null)
  } finally {
    for (const target of targets) await target.close()
    await places.close()
  }
}

async function start({ name, base, way, store }: HttpWay, places: StorePlaces): Promise<LoadTarget | null> {
  const place = store === 'PostgreSQL' ? places.postgresUrl : places.file()
  if (place === null) return null
  const program = new URL('sessions-server.ts', import.meta.url)
  const { child, hello } = await forkServer<{ port: number; cookie: string }>(program, [base, way, place])
  const cookie = hello.cookie === 'ask /sign-in' ? await signIn(hello.port) : hello.cookie
  const requestWith = (headers: Record<string, string>): Buffer =>
    writeRequest({ method: 'GET', path: '/', host: `127.0.0.1:${hello.port}`, headers })
  const target = await openTarget({ name, child, port: hello.port, requests: [requestWith({ cookie })] })
  const { status, body } = await target.ask(target.next())
  if (status !== 200 || body !== expected) throw new Error(`${name} answered ${status} ${body.slice(0, 200)}`)
  const isRead = way !== 'none' && way !== 'promise'
  if (isRead && (await target.ask(requestWith({}))).status === 200) throw new Error(`${name} needs no session`)
  return {
    ...target,
    async close() {
      await target.close()
      await endServer(child)
    },
  }
}

const expected = JSON.stringify({ data: { hello: 'session benchmark' } })

async function signIn(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/sign-in`)
  return `theme=dark; ${response.headers.getSetCookie()[0]?.split(';')[0]}`
}

const baseOf = (name: string): string => name.split(' + ')[0] ?? ''

function report(slices: Slices, isPostgresMissing: boolean): PartReport {
  const missing = isPostgresMissing ? [{ name: `${ours}, PostgreSQL`, why: noPostgres }] : []
  const title = 'An answer of 40 bytes, with and without a session'
  const bases = [{ head: 'of the same without sessions', baseOf }]
  return {
    tables: [withExtra(writeSliceTable(slices, { title, bases, missing }), slices)],
    targets: judge(slices),
    figures: slices,
  }
}

/** Returns the table with the cost of the session alone as a column. */
function withExtra(table: Table, slices: Slices): Table {
  const extra = (name: string): string =>
    slices[name] && baseOf(name) !== name ? formatNumber(extraMicroseconds(slices, name, baseOf(name))) : ''
  return {
    ...table,
    head: [...table.head, 'CPU µs more'],
    rows: table.rows.map((row) => [...row, extra(row[0] ?? '')]),
  }
}

function judge(slices: Slices): Target[] {
  return Object.entries({ memory: 5, SQLite: 16, PostgreSQL: 75 })
    .filter(([store]) => slices[`${ours}, ${store}`])
    .map(([store, most]) => {
      const peers = [`${byHand}, ${store}`, ...(store === 'memory' ? others : [])]
        .filter((name) => slices[name])
        .map((name) => ({ name, measured: extraMicroseconds(slices, name, baseOf(name)) }))
      const way = `${ours}, ${store}`
      return atMost(
        most,
        'µs of CPU more than node:http alone',
        way,
        extraMicroseconds(slices, way, 'node:http'),
        peers,
      )
    })
}

const others = ['node:http + better-auth', 'express + express-session']

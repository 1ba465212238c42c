import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSecureContext, TLSSocket } from 'node:tls'
import { createPostgresExecutor } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import { certificateOfThisMachine, testAuthority } from '@latchkey/test-services/mail-server'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'

const url = useService('postgres')
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const cancelRequest = Buffer.from([0, 0, 0, 16, 4, 210, 22, 46])

interface TlsServerOptions {
  readonly refusesTls?: (connection: number) => boolean
  readonly agreesAfterMs?: number
}

/** Opens a server which speaks TLS in front of PostgreSQL, and tells what clients sent without it. It agrees to TLS after a while. */
async function openTlsServer({ refusesTls, agreesAfterMs = 0 }: TlsServerOptions = {}) {
  const plain: Buffer[] = []
  let cancels = 0
  const secureContext = createSecureContext(certificateOfThisMachine)
  const server = createServer(async (socket) => {
    socket.on('error', () => {})
    const [first] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    plain.push(first)
    if (refusesTls?.(plain.length)) return void socket.end('N')
    const isDirect = !first.equals(sslRequest)
    if (isDirect) socket.unshift(first)
    else {
      await sleep(agreesAfterMs)
      socket.write('S')
    }
    const secure = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['postgresql'] })
    const database = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [end, other] of [
      [secure, database],
      [database, secure],
    ] as const) {
      end.on('error', () => other.destroy())
      end.on('close', () => other.destroy())
    }
    secure.once('data', (data: Buffer) => {
      if (data.subarray(0, 8).equals(cancelRequest)) cancels++
    })
    secure.pipe(database).pipe(secure)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, plain, cancels: () => cancels }
}

/** Whether a statement with this text runs on the server. */
async function isRunning(text: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query("select 1 from pg_stat_activity where state = 'active' and query = $1", [
    text,
  ])
  await client.end()
  return rowCount !== 0
}

function open(port: number, options: pg.PoolConfig) {
  const pool = new pg.Pool({ host: 'localhost', port, user: 'postgres', database: 'postgres', max: 1, ...options })
  const executor = createPostgresExecutor({ pool, deadlineMs: 500 })
  onTestFinished(() => executor.close())
  return executor
}

const ssl = { ca: testAuthority }
const outage = { code: 'STORE_UNAVAILABLE' }

test.each([
  ['postgres', 0],
  ['postgres', 150],
  ['direct', 0],
] as const)(
  'a cancel request for a connection with TLS, negotiated as "%s" and agreed to after %i ms, is sent over TLS',
  async (sslnegotiation, agreesAfterMs) => {
    const { port, plain, cancels } = await openTlsServer({ agreesAfterMs })
    const { query, check } = open(port, { ssl, sslnegotiation })
    await check()
    const text = `select pg_sleep(20) /* ${sslnegotiation} ${agreesAfterMs} */`
    await expect(query(text)).rejects.toMatchObject(outage)
    await vi.waitFor(async () => expect([cancels(), await isRunning(text)]).toEqual([1, false]), 5000)
    expect(plain.some((first) => first.equals(sslRequest))).toBe(sslnegotiation === 'postgres')
    for (const first of plain) expect(first.subarray(0, 8)).not.toEqual(cancelRequest)
    await vi.waitFor(check)
  },
)

test('no cancel request is sent to a server that refuses TLS for it, and the connection is cut', async () => {
  const { port, plain, cancels } = await openTlsServer({ refusesTls: (connection) => connection === 2 })
  const { query, check } = open(port, { ssl })
  await check()
  await expect(query('select pg_sleep(2)')).rejects.toMatchObject(outage)
  await vi.waitFor(check)
  expect([plain, cancels()]).toEqual([[sslRequest, sslRequest, sslRequest], 0])
})

test('no cancel request is sent to a server whose certificate is of another authority', async () => {
  const { port, cancels } = await openTlsServer()
  const pool = new pg.Pool({ host: 'localhost', port, user: 'postgres', database: 'postgres', max: 1, ssl })
  const executor = createPostgresExecutor({ pool, deadlineMs: 500 })
  onTestFinished(() => executor.close())
  pool.on('acquire', (client) => void Object.assign((client as { connection?: object }).connection ?? {}, { ssl: {} }))
  await executor.check()
  await expect(executor.query('select pg_sleep(2)')).rejects.toMatchObject(outage)
  await vi.waitFor(executor.check)
  expect(cancels()).toBe(0)
})

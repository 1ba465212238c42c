import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createJwtSigner, createKeyRing, importJwtKey } from '@latchkey/jwt'
import autocannon from 'autocannon'
import { audience, issuer, requestBody, role, secret } from './graphql-example.ts'
import { graphqlWays } from './graphql-ways.ts'

/** More than a server remembers: by the time one comes again it is new. */
const unseenTokens = 20_000
const connections = 32

/** A running server. */
export interface GraphqlTarget {
  /** Asks it without pause for so long. */
  measure(seconds: number): Promise<GraphqlFigures>
  close(): void
}

export interface GraphqlFigures {
  readonly perSecond: number
  /** Processor time of the server for one request: what the machine's other work disturbs least. */
  readonly cpuMicroseconds: number
}

/** Starts a server in a process of its own. @throws when it does not answer what it should. */
export async function startGraphql(way: string): Promise<GraphqlTarget> {
  const child = forkServer(way)
  const { port } = await messageOf<{ port: number }>(child)
  const url = `http://127.0.0.1:${port}/graphql`
  const tokens = graphqlWays[way]?.tokens ?? 'none'
  const shown = await signTokens({ none: 0, seen: 1, unseen: unseenTokens }[tokens])
  const [token] = shown
  await checkAnswer(way, url, headersWith(token))
  let next = 0
  const vary = (request: autocannon.Request): autocannon.Request => ({
    ...request,
    headers: headersWith(shown[next++ % shown.length]),
  })
  const requests = tokens === 'unseen' ? [{ setupRequest: vary }] : undefined
  return {
    async measure(seconds) {
      const before = await cpuOf(child)
      const {
        requests: sent,
        non2xx,
        errors,
      } = await autocannon({
        url,
        method: 'POST',
        body: requestBody,
        headers: headersWith(token),
        connections,
        duration: seconds,
        ...(requests && { requests }),
      })
      if (non2xx + errors > 0) throw new Error(`${way} refused ${non2xx + errors} requests`)
      return { perSecond: sent.average, cpuMicroseconds: ((await cpuOf(child)) - before) / sent.total }
    },
    close: () => child.disconnect(),
  }
}

function forkServer(way: string): ChildProcess {
  const file = fileURLToPath(new URL('graphql-server.ts', import.meta.url))
  const execArgv = [
    '--conditions=@latchkey/source',
    '--no-warnings',
    ...(process.env.BENCH_NODE_ARGS?.split(' ') ?? []),
  ]
  return fork(file, [way], { execArgv, env: { ...process.env, NODE_ENV: 'production' } })
}

async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('a server ended')))
  ended.catch(() => {})
  const [message] = await Promise.race([once(child, 'message'), ended])
  return message as Message
}

async function cpuOf(child: ChildProcess): Promise<number> {
  child.send('cpu')
  const { cpu } = await messageOf<{ cpu: NodeJS.CpuUsage }>(child)
  return cpu.user + cpu.system
}

async function signTokens(count: number): Promise<readonly string[]> {
  const key = await importJwtKey({ id: '1', algorithm: 'HS256', bytes: secret })
  const signer = createJwtSigner({ issuer, audience, keys: createKeyRing({ keys: [key] }) })
  const signed: string[] = []
  while (signed.length < count) signed.push((await signer.sign({ sub: 'acc_1', role })).token)
  return signed
}

function headersWith(token: string | undefined): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
}

async function checkAnswer(way: string, url: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: requestBody })
  const text = await response.text()
  const expected = '{"id":"n4","title":"Note 4","author":{"name":"Ada Lovelace"}}]}}'
  if (!text.trimEnd().endsWith(expected)) throw new Error(`${way} answered ${response.status} ${text.slice(0, 200)}`)
  if (graphqlWays[way]?.tokens === 'none') return
  const { authorization: _left, ...anonymous } = headers
  const refused = await fetch(url, { method: 'POST', headers: anonymous, body: requestBody })
  if ((await refused.text()).includes('Ada')) throw new Error(`${way} answers a request without a token`)
}

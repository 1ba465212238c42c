import { writeRequest } from '../load/connection.ts'
import { endServer, forkServer } from '../load/fork-server.ts'
import { type LoadTarget, openTarget } from '../load/load-target.ts'
import type { StorePlaces } from '../load/store-places.ts'
import type { HandStore } from '../sessions/session-by-hand.ts'
import { bodies, host } from './service-example.ts'
import type { OpenService } from './service-latchkey.ts'
import { type CredentialKind, nameWay, type ServiceName } from './service-ways.ts'

/** A service in a separate process, with its targets. */
export interface ServiceTargets {
  readonly targets: readonly LoadTarget[]
  close(): Promise<void>
}

/** Starts a service and compares its answers; `null` where its store is not there. */
export async function startService(
  name: ServiceName,
  store: HandStore,
  { kinds, places }: { readonly kinds: readonly CredentialKind[]; readonly places: StorePlaces },
): Promise<ServiceTargets | null> {
  const place = { memory: '', SQLite: places.file(), PostgreSQL: places.postgresUrl }[store]
  if (place === null) return null
  const program = new URL('service-server.ts', import.meta.url)
  const { child, hello } = await forkServer<OpenService>(program, [name, store, place])
  const targets: LoadTarget[] = []
  for (const kind of kinds) {
    const request = requestWith(headersOf(hello, kind), kind === 'anonymous' ? 'open' : 'this')
    const target = await openTarget({ name: nameWay(name, store, kind), child, port: hello.port, requests: [request] })
    targets.push(target)
    await compare(target, kind)
  }
  return {
    targets,
    async close() {
      for (const target of targets) await target.close()
      await endServer(child)
    },
  }
}

function headersOf({ token, cookie }: OpenService, kind: CredentialKind): Record<string, string> {
  return { anonymous: {}, token: { authorization: `Bearer ${token}` }, cookie: { cookie } }[kind] as Record<
    string,
    string
  >
}

function requestWith(headers: Readonly<Record<string, string>>, which: 'open' | 'this'): Buffer {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json',
    'sec-fetch-site': 'same-origin',
    ...headers,
  }
  return writeRequest({ method: 'POST', path: '/graphql', host, headers: all, body: bodies[which] })
}

const expected = JSON.stringify({
  data: {
    viewer: { id: 'acc_1', name: 'Ada Lovelace' },
    notes: Array.from({ length: 5 }, (_none, index) => ({
      id: `n${index}`,
      title: `Note ${index}`,
      author: { name: 'Ada Lovelace' },
    })),
  },
})

/**
 * Checks that every server answers the same bytes, and no data of readers without a credential or with a wrong letter
 * in it.
 */
async function compare(target: LoadTarget, kind: CredentialKind): Promise<void> {
  const { status, body } = await target.ask(target.next())
  if (status !== 200 || body.trimEnd() !== expected)
    throw new Error(`${target.name} answered ${status} ${body.slice(0, 300)}`)
  const refused = [requestWith({}, 'this')]
  const text = target.next().toString()
  if (kind !== 'anonymous') refused.push(Buffer.from(text.replace(/(.)(.{9}\r\ncontent-length)/, changeLetter)))
  for (const request of refused) {
    if ((await target.ask(request)).body.includes('Ada')) throw new Error(`${target.name} answers what it must refuse`)
  }
}

function changeLetter(_all: string, letter: string, rest: string): string {
  return `${letter === 'A' ? 'B' : 'A'}${rest}`
}

import { endServer, type ForkedServer, forkServer } from '../load/fork-server.ts'
import { pinServers } from '../load/own-core.ts'
import { processorMicroseconds } from '../load/processor-time.ts'
import { writeSliceTable } from '../load/slice-table.ts'
import { type Slice, type Slices, sliceMs, speedRatio, turnsOf } from '../load/slices.ts'
import { atLeast, type PartReport, type PartRun } from '../part.ts'
import { orderOf } from '../rounds.ts'
import type { OAuthHello } from './oauth-server.ts'
import { type Conversation, type OAuthUser, openUser } from './oauth-user.ts'

const conversations: readonly Conversation[] = ['client credentials', 'refresh', 'authorize and token']
const servers = ['latchkey', 'oidc-provider'] as const
type ServerName = (typeof servers)[number]

/** How many ask at once. */
const userCount = 16
const warmUpMs = 1500

interface AskedServer {
  readonly name: ServerName
  readonly forked: ForkedServer<OAuthHello>
  readonly users: readonly OAuthUser[]
}

/** Measures the cost of each conversation on an otherwise idle server, with oidc-provider in the same turns. */
export async function measureOAuth(run: PartRun): Promise<PartReport> {
  const asked: AskedServer[] = []
  try {
    for (const name of servers) {
      run.progress(`starting ${name}`)
      asked.push(await start(name))
    }
    if (!pinServers(asked.flatMap(({ forked }) => forked.child.pid ?? []))) {
      run.progress('servers and load share their cores: there is one only, or no taskset (util-linux)')
    }
    return report(await measure(run, asked))
  } finally {
    for (const { users, forked } of asked) {
      for (const user of users) user.close()
      await endServer(forked.child)
    }
  }
}

async function start(name: ServerName): Promise<AskedServer> {
  const forked = await forkServer<OAuthHello>(new URL('oauth-server.ts', import.meta.url), [name])
  const users = await Promise.all(Array.from({ length: userCount }, () => openUser(forked.hello)))
  return { name, forked, users }
}

async function measure({ rounds, seconds, progress }: PartRun, asked: readonly AskedServer[]): Promise<Slices> {
  const slices: Record<string, Slice[]> = {}
  for (const conversation of conversations) {
    progress(`warming up: ${conversation}`)
    for (const server of asked) await converse(server, conversation, warmUpMs)
    for (let turn = 0; turn < rounds * turnsOf(seconds); turn++) {
      for (const server of orderOf(asked, turn)) {
        const name = nameOf(server.name, conversation)
        slices[name] = [...(slices[name] ?? []), await measureSlice(server, conversation)]
      }
    }
  }
  return slices
}

async function measureSlice(server: AskedServer, conversation: Conversation): Promise<Slice> {
  const { child } = server.forked
  const before = await processorMicroseconds(child)
  const { count, milliseconds } = await converse(server, conversation, sliceMs)
  const after = await processorMicroseconds(child)
  return { perSecond: (count * 1000) / milliseconds, cpuMicroseconds: (after - before) / count }
}

/** Lets every user repeat a conversation for this many milliseconds. */
async function converse({ users }: AskedServer, conversation: Conversation, milliseconds: number) {
  const startedAt = performance.now()
  let count = 0
  const goOn = async (user: OAuthUser): Promise<void> => {
    while (performance.now() - startedAt < milliseconds) {
      await user.converse(conversation)
      count++
    }
  }
  await Promise.all(users.map(goOn))
  return { count, milliseconds: performance.now() - startedAt }
}

const nameOf = (server: ServerName, conversation: Conversation): string => `${server}, ${conversation}`

function report(slices: Slices): PartReport {
  const baseOf = (name: string): string => name.replace('latchkey', 'oidc-provider')
  const bases = [{ head: 'of oidc-provider', baseOf }]
  return {
    tables: [writeSliceTable(slices, { title: 'Tokens for clients and users, in memory', bases })],
    targets: conversations.map((conversation) => {
      const [own, other] = [nameOf('latchkey', conversation), nameOf('oidc-provider', conversation)]
      const promise = `times as many in the same processor time as oidc-provider, ${conversation}`
      return atLeast(2, promise, own, speedRatio(slices, own, other))
    }),
    figures: slices,
  }
}

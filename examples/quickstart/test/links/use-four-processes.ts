import { randomBytes, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Message, StoredAccount } from '@latchkey/accounts'
import type { ServerStores } from '@latchkey/server'
import { useService } from '@latchkey/test-services'
import { afterAll, beforeAll } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { temporaryDirectory } from '../support/start-quickstart.ts'
import { FourProcesses } from './four-processes.ts'
import { openStores, passwords, type Question, type Reply } from './link-process.ts'

/** Where four processes keep what they share. */
export const backends = ['SQLite', 'PostgreSQL', 'PostgreSQL with records and counters in Redis'] as const
export const timeout = 60_000
export const password = 'otters read quietly at dawn'
export const passwordHash: string = await passwords.hash(password)

/** Four processes that the tests around it share, and the stores of them. */
export interface UsedProcesses {
  all(): { readonly four: FourProcesses; readonly stores: ServerStores }
  ask(question: Question, index?: number): Promise<Reply>
  /** Puts an account into the store whose password is `password`. */
  insert(): Promise<StoredAccount>
  mailsTo(address: string, kind: string): readonly Message[]
}

export function useFourProcesses(backend: (typeof backends)[number]): UsedProcesses {
  const postgres = useService('postgres')
  const redis = useService('redis')
  let opened: ReturnType<typeof openStores> | undefined
  let four: FourProcesses | undefined
  const folders: string[] = []

  async function settingsOf() {
    const secret = randomBytes(32).toString('hex')
    if (backend === 'SQLite') {
      const folder = await temporaryDirectory()
      folders.push(folder)
      return { database: join(folder, 'app.db'), redisUrl: null, secret }
    }
    const { DATABASE_URL: database = '' } = await createServerEnvironment(postgres)
    return { database, redisUrl: backend === 'PostgreSQL' ? null : redis, secret }
  }

  beforeAll(async () => {
    if (postgres === '' || redis === '') return
    const settings = await settingsOf()
    opened = openStores(settings)
    await opened.stores.migrate()
    four = new FourProcesses(settings)
    await four.ready()
  }, timeout)
  afterAll(async () => {
    await four?.close()
    await opened?.close()
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  function all() {
    if (!four || !opened) throw new Error('the processes are not there')
    return { four, stores: opened.stores }
  }
  return {
    all,
    ask: (question, index = 0) => all().four.ask(question, index),
    async insert() {
      const id = `acc_${randomUUID()}`
      const account = { ...{ id, email: `${id}@example.com`, name: 'Ada', roles: ['READER'] }, passwordHash, epoch: 3 }
      await all().stores.accounts.insert({ ...account, status: 'active' })
      return { ...account, status: 'active', keptKey: null, enrolled: [] }
    },
    mailsTo: (address, kind) => all().four.mails.filter((mail) => mail.to === address && mail.kind === kind),
  }
}

import { randomBytes, randomUUID } from 'node:crypto'
import type { Message, StoredAccount } from '@latchkey/accounts'
import type { ServerStores } from '@latchkey/server'
import { afterAll, beforeAll } from 'vitest'
import { FourProcesses } from './four-processes.ts'
import { passwords, type Question, type Reply } from './link-process.ts'
import { type Backend, timeout, useSharedStores } from './shared-stores.ts'

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

export function useFourProcesses(backend: Backend): UsedProcesses {
  const shared = useSharedStores(backend)
  let four: FourProcesses | undefined

  beforeAll(async () => {
    const settings = shared.settings()
    if (settings === null) return
    four = new FourProcesses({ ...settings, secret: randomBytes(32).toString('hex') })
    await four.ready()
  }, timeout)
  afterAll(() => four?.close())

  function all() {
    if (!four) throw new Error('the processes are not there')
    return { four, stores: shared.stores() }
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

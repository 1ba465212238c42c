import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { removeUnlessLast } from '@latchkey/store/internal'
import type { After, Core } from './core.ts'
import { attempt, email, issuer, type Process } from './process.ts'
import { allAnswered, answersOf, type Identity, openAccount, sentences } from './visits.ts'

const collection = 'way'
const ways = ['first', 'second', 'third'] as const

/** Removes one of the documents of an owner, unless it is the last one. */
const removeWay =
  (id: string) =>
  ({ stores: { documents } }: Process) =>
    removeUnlessLast(documents, async () => {
      const { items } = await documents.listByOwner('owner')
      const isThis = (way: { readonly id: string }): boolean => way.id === id
      return { current: items.find(isThis) ?? null, others: items.filter((way) => !isThis(way)) }
    })

function lastWay(count: 2 | 3): Core<null> {
  return {
    async prepare({ stores: { documents } }) {
      for (const id of ways.slice(0, count)) {
        await documents.insert({ collection, id, owner: 'owner', version: id, value: '{}' })
      }
      return null
    },
    callers: Object.fromEntries(ways.slice(0, count).map((id) => [id, removeWay(id)])),
    async judge({ endings, process }) {
      const { items } = await process.stores.documents.listByOwner('owner')
      const removed = Object.entries(answersOf(endings)).filter(([, answer]) => answer === 'removed')
      const back = removed.filter(([name]) => items.some(({ id }) => id === name))
      return sentences(
        [items.length === 0, 'no way is left'],
        [back.length > 0, 'what was removed is there'],
        [allAnswered(endings) && removed.length + items.length !== count, `${items.length} of ${count} are left`],
      )
    },
  }
}

export const lastWayOfTwo = lastWay(2)
export const lastWayOfThree = lastWay(3)

interface Holder {
  readonly identity: Identity
  readonly passkeys: readonly [string, string]
}

/** Registers two passkeys, and takes the password away. */
async function registerPasskeys(process: Process): Promise<Holder> {
  const { accounts, stores } = process
  const id = await openAccount(process)
  const authenticators = [
    createSoftwareAuthenticator({ origin: issuer }),
    createSoftwareAuthenticator({ origin: issuer }),
  ]
  for (const authenticator of authenticators) {
    const identity = { subject: id }
    const begun = await accounts.startPasskeyRegistration({ identity, attempt })
    if (!begun.ok) throw new Error('no registration has begun')
    const response = await authenticator.create(begun.options as never)
    await accounts.finishPasskeyRegistration({ identity, name: 'Phone', response, attempt })
  }
  await stores.accounts.replace(id, {}, { passwordHash: null })
  const [first, second] = await accounts.listPasskeys(id)
  if (!first || !second) throw new Error('there are not two passkeys')
  return { identity: { subject: id }, passkeys: [first.id, second.id] }
}

const removePasskey =
  (index: 0 | 1) =>
  ({ accounts }: Process, { identity, passkeys }: Holder) =>
    accounts.removePasskey({ identity, id: passkeys[index], attempt })

/** Two requests remove the two passkeys of an account without a password. */
export const lastPasskey: Core<Holder> = {
  options: { offersPasskeys: true },
  prepare: registerPasskeys,
  callers: { first: removePasskey(0), second: removePasskey(1) },
  judge: judgePasskeys,
}

async function judgePasskeys({ given, endings, process }: After<Holder>) {
  const { accounts } = process
  const left = await accounts.listPasskeys(given.identity.subject)
  const names = ['first', 'second'] as const
  const isThere = (name: (typeof names)[number]): boolean =>
    left.some(({ id }) => id === given.passkeys[names.indexOf(name)])
  const answers = answersOf(endings) as Readonly<Record<string, { readonly ok?: boolean } | null>>
  const back = names.filter((name) => answers[name]?.ok === true && isThere(name))
  const account = await process.stores.accounts.get(given.identity.subject)
  const removal = await accounts.removePasskey({ identity: given.identity, id: left[0]?.id ?? '', attempt }).then(
    () => 'removed',
    (error: { readonly code?: string }) => error.code,
  )
  return sentences(
    [left.length === 0, 'no passkey is left'],
    [back.length > 0, `removed, and there: ${back.join()}`],
    [left.length === 1 && removal !== 'LAST_SIGN_IN_METHOD', `the last one is removed: ${removal}`],
    [account?.email !== email, 'the account is another one'],
  )
}

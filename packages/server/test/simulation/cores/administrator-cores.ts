import type { Core } from './core.ts'
import { attempt, type Process, password } from './process.ts'
import { answersOf, sentences } from './visits.ts'

const names = ['ida', 'max'] as const
type Name = (typeof names)[number]
type Administrators = Readonly<Record<Name, string>>

async function createAdministrator({ accounts }: Process, name: Name): Promise<string> {
  const address = `${name}@example.com`
  const account = await accounts.create({ email: address, password, name, roles: ['ADMIN'], attempt })
  if (!account) throw new Error('no account was created')
  return account.id
}

const demote =
  (name: Name) =>
  ({ accounts }: Process, ids: Administrators) =>
    accounts.setRoles({ id: ids[name], roles: ['READER'], attempt })

const disable =
  (name: Name) =>
  ({ accounts }: Process, ids: Administrators) =>
    accounts.disable({ id: ids[name], attempt })

/** The owner asks for it, by a request without a session. */
const deletion =
  (name: Name) =>
  ({ accounts }: Process, ids: Administrators) =>
    accounts.deleteAccount({ identity: { subject: ids[name] }, attempt })

type Callers = Core<Administrators>['callers']

function removals(callers: Callers): Core<Administrators> {
  return {
    prepare: async (process) => ({
      ida: await createAdministrator(process, 'ida'),
      max: await createAdministrator(process, 'max'),
    }),
    callers,
    async judge({ given, endings, process: { accounts } }) {
      const found = await Promise.all(names.map((name) => accounts.get(given[name])))
      const left = found.filter((account) => account?.status === 'active' && account.roles.includes('ADMIN'))
      const unmade = Object.entries(answersOf(endings))
        .filter(([name]) => name.startsWith('demotes'))
        .filter(([name]) => found[names.findIndex((one) => name.endsWith(one))]?.roles.includes('ADMIN'))
      const undeleted = Object.entries(answersOf(endings))
        .filter(([name, answer]) => name.startsWith('deletes') && isOk(answer))
        .filter(([name]) => found[names.findIndex((one) => name.endsWith(one))])
      const stripped = found.filter((account) => account?.roles.length === 0)
      const [last] = left
      const next = found.find((account) => account?.id !== last?.id)
      const refusal = last && (await accounts.disable({ id: last.id, attempt }).then(() => 'made', codeOf))
      return sentences(
        [left.length === 0, 'no administrator is left'],
        [unmade.length > 0, `acknowledged, and not made: ${unmade.map(([name]) => name).join()}`],
        [undeleted.length > 0, `acknowledged, and not deleted: ${undeleted.map(([name]) => name).join()}`],
        [
          stripped.length > 0,
          `has lost its roles, although nobody removed them: ${stripped.map((account) => account?.id).join()}`,
        ],
        [left.length === 1 && refusal !== 'LAST_ADMINISTRATOR', `the last one is removed: ${refusal}`],
        [left.length === 2 && refusal !== 'made', `${next?.id} is left, and the other is refused: ${refusal}`],
      )
    },
  }
}

const codeOf = (error: { readonly code?: string }): string => error.code ?? String(error)

const isOk = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'ok' in answer && answer.ok === true

/** Two administrators are demoted. */
export const demotedAtOnce = removals({ 'demotes ida': demote('ida'), 'demotes max': demote('max') })

/** Two administrators are demoted and disabled. */
export const demotedAndDisabledAtOnce = removals({
  'demotes ida': demote('ida'),
  'disables ida': disable('ida'),
  'demotes max': demote('max'),
  'disables max': disable('max'),
})

/** An administrator deletes the own account while the other one is demoted. */
export const deletedAndDemotedAtOnce = removals({ 'deletes ida': deletion('ida'), 'demotes max': demote('max') })

/** Two administrators delete their own accounts. */
export const deletedAtOnce = removals({ 'deletes ida': deletion('ida'), 'deletes max': deletion('max') })

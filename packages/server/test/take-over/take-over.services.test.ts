import { readFileSync } from 'node:fs'
import { allowUnlimitedAttempts } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { pageNeeds } from '../requests/page-paths.ts'
import type { AppOptions } from '../support/bench.ts'
import { createAskingBench } from '../support/clients/asking.ts'
import { ownForm } from '../support/forms.ts'
import { operationTries, type Try } from './operations.ts'
import { type Outcome, outcomeOfTry } from './outcomes.ts'
import { pageTries } from './pages.ts'
import { createStolenAccount, type Protection, protections, type Service, signInAsOwner } from './stolen-account.ts'
import { drawTables, drawTried } from './take-over-page.ts'
import { backFrom, cellOf, type Row, rows } from './take-over-table.ts'
import { enter, type Loot, loots, lootsOfCodes, steal, type Thief } from './thieves.ts'
import { walkBack } from './ways-back.ts'

// What each kind of thief reaches of an account, tried by every operation and every form of a whole service. Where
// something is reached, the owner comes back, and what the thief had is dead.

const isLong = process.env.TEST_TIER === '3'
const timeout = 240_000

const tries: Readonly<Record<string, Try>> = { ...operationTries, ...pageTries }
const options = {
  signIn: { attemptLimits: allowUnlimitedAttempts },
  accounts: { deletion: { onDelete: () => {} } },
  graphql: { introspection: 'public' },
} as const
function serviceOf(given: NonNullable<AppOptions['signIn']>): Service {
  const bench = createAskingBench({ options: { ...options, signIn: { ...options.signIn, ...given } } })
  return { bench, mailsCodes: 'emailCode' in given, hasProviders: 'providers' in given }
}

const services: readonly (readonly [string, Service])[] = [
  ['as by default', serviceOf({})],
  ['that mails codes', serviceOf({ emailCode: {} })],
  ['that signs in with providers', serviceOf({ providers: {} })],
]

/** What there is in a service that mails codes, and in no other. */
const ofCodes = new Set(['requestSignInCode', 'signInWithCode', '/sign-in-code'])
/** What there is in a service that signs in with providers, and in no other. */
const ofProviders = new Set(['linkedProviders', 'linkProvider', 'unlinkProvider'])
/** What an application does in a route of its own. */
const ofRoutes = new Set(['linkProvider'])
const namesIn = ({ mailsCodes, hasProviders }: Service, names: readonly string[]) =>
  names.filter((name) => (mailsCodes || !ofCodes.has(name)) && (hasProviders || !ofProviders.has(name)))

/** What is tried with a loot: where a service is as by default but for one option, what that has brought, and in the long mode all. */
function triedWith(service: Service, loot: Loot): readonly string[] {
  const names = namesIn(service, Object.keys(tries))
  if (isLong || lootsOfCodes.has(loot) || !(service.mailsCodes || service.hasProviders)) return names
  return names.filter((name) => ofCodes.has(name) || ofProviders.has(name))
}

/** What comes of a try, on an account that is as it was before. */
type Cells = Record<string, Outcome>

const rowOf = (name: string): Row => {
  const row = rows.find((one) => one.tries.includes(name))
  if (!row) throw new Error(`say in take-over-table.ts what a thief reaches by ${name}`)
  return row
}

/** Tries everything with one loot, and lets the owner come back from all that was reached. */
async function tryAll(service: Service, protection: Protection, loot: Loot): Promise<Cells> {
  const steals = async () => steal(await createStolenAccount(service, protection), loot)
  const names = new Set(triedWith(service, loot))
  const all = Object.entries(tries).filter(([name]) => names.has(name))
  const alone = await tryAlone(
    all.filter(([, { before }]) => before),
    steals,
  )
  const inside = await tryInside(
    all.filter(([, { before }]) => !before),
    async () => {
      const thief = await steals()
      await enter(thief)
      return thief
    },
  )
  return { ...alone, ...inside }
}

type Steal = () => Promise<Thief>
type Tries = readonly (readonly [name: string, tried: Try])[]

const comeBack = (thief: Thief, name: string) => walkBack(thief, rowOf(name).back ?? backFrom[thief.loot])

/** What the loot alone does, each on an account of its own. */
async function tryAlone(named: Tries, stealsIt: Steal): Promise<Cells> {
  const cells: Cells = {}
  for (const [name, tried] of named) {
    const thief = await stealsIt()
    cells[name] = outcomeOfTry(name, await tried.run(thief))
    if (cells[name] === 'reached') await comeBack(thief, name)
  }
  return cells
}

/** What it leads to: what is refused and what only reads leaves the account for the next try. */
async function tryInside(named: Tries, entersIt: Steal): Promise<Cells> {
  const cells: Cells = {}
  let thief = await entersIt()
  const read: string[] = []
  for (const [name, tried] of named) {
    const outcome = outcomeOfTry(name, await tried.run(thief))
    cells[name] = outcome
    if (outcome === 'reached' && rowOf(name).isReading) read.push(name)
    else if (outcome === 'reached') await comeBack(thief, name)
    if (endsSession.has(name) || (outcome === 'reached' && !rowOf(name).isReading)) thief = await entersIt()
  }
  const [first] = read
  if (first !== undefined) await comeBack(thief, first)
  return cells
}

const ofApplication = new Set(['hello', 'secretPlan', 'writeNote'])
const triedInRows = rows.flatMap((row) => row.tries)

/** Nothing is reached by them, and who was signed in is so no longer. */
const endsSession = new Set(['signOut', '/sign-out'])

describe.each(services)('in a service %s', (_what, service) => {
  describe.each(protections)('of an account that has %s beside its password', (protection) => {
    const stolen = loots.filter(
      (loot) =>
        (service.mailsCodes || !lootsOfCodes.has(loot)) &&
        cellOf(rowOf('viewer'), protection, loot) !== 'there is none',
    )
    test.each(stolen)(
      'a thief of %s reaches the operations of the table, and the owner regains the account',
      { timeout },
      async (loot) => {
        const cells = await tryAll(service, protection, loot)
        const said = triedWith(service, loot).map((name) => [name, cellOf(rowOf(name), protection, loot)])
        expect(cells).toEqual(Object.fromEntries(said))
      },
    )
  })

  test('every operation of the schema has a row', async () => {
    const asked = await service.bench
      .visitor()
      .ask('{ __schema { queryType { fields { name } } mutationType { fields { name } } } }')
    const { queryType, mutationType } = asked.data.__schema
    const names: string[] = [...queryType.fields, ...mutationType.fields].map(({ name }) => name)
    const inRows = triedInRows.filter((name) => !name.startsWith('/'))
    const inSchema = namesIn(service, inRows).filter((name) => !ofRoutes.has(name))
    expect(inSchema.toSorted()).toEqual(names.filter((name) => !ofApplication.has(name)).toSorted())
    expect(Object.keys(operationTries).toSorted()).toEqual(inRows.toSorted())
  })

  test('every form of a page has a row', async () => {
    const taken: string[] = []
    for (const path of pageNeeds.keys()) {
      const { status } = await service.bench.visitor().post(path, {}, ownForm)
      if (status !== 404 && status !== 405) taken.push(path)
    }
    const inRows = triedInRows.filter((name) => name.startsWith('/'))
    expect(namesIn(service, inRows).toSorted()).toEqual(taken.toSorted())
    expect(Object.keys(pageTries).toSorted()).toEqual(inRows.toSorted())
  })
})

test('a sign-in by a code of the mailbox keeps the owner signed in, and the password unchanged', async () => {
  for (const [, service] of services.filter(([, { mailsCodes }]) => mailsCodes)) {
    const held = await createStolenAccount(service, 'nothing')
    await signInAsOwner(held, held.owner)
    const thief = await steal(held, 'a code to the present address')
    await enter(thief)
    const isIn = await Promise.all([thief.visitor, held.owner].map((visitor) => visitor.ask('{ viewer { id } }')))
    expect(isIn.map(({ data }) => data?.viewer.id)).toEqual([held.id, held.id])
    expect((await service.bench.visitor().signIn(held.email, held.password)).status).toBe(200)
  }
})

test.each([
  ['what is tried', 'take-over.md', drawTried],
  ['what each loot reaches', 'take-over-tables.md', drawTables],
])('the documentation shows %s', async (_what, name, draw) => {
  const file = `../../../../docs/${name}`
  const page = readFileSync(new URL(file, import.meta.url), 'utf8')
  const [before = '', , after = ''] = page.split(/<!-- table -->|<!-- end of the table -->/)
  const drawn = `${before}<!-- table -->\n\n${draw()}\n\n<!-- end of the table -->${after}`
  await expect(drawn).toMatchFileSnapshot(file)
})

import { describeFinding, verifyAudit } from '@latchkey/audit'
import type { SecretKeys } from '@latchkey/bytes'
import type { StoredAuditRow } from '@latchkey/store'
import type { Deed, Facts } from '../deeds/deed.ts'
import type { Person } from '../people/person.ts'
import type { WorldStores } from '../world/stores.ts'
import { findMisdirected } from './letters.ts'
import { findUnaccounted, findUnaudited, findUnauditedRefusal, findUntold } from './told.ts'

interface Ending {
  readonly world: { readonly hasTroubles: () => boolean }
  readonly deeds: readonly Deed[]
  readonly town: {
    readonly people: readonly Person[]
    readonly initial: ReadonlyMap<string, Facts>
    readonly seen: readonly string[]
    readonly secrets: SecretKeys
    readonly board: object | null
  }
  readonly stores: Pick<WorldStores, 'audit'>
}

/** What only the end of a run shows: the audit log is whole, and no secret has left its place. */
export async function findEndings({ world, deeds, town, stores }: Ending): Promise<string | null> {
  const rows = await readRows(stores)
  return (
    findUnexpected(deeds) ??
    findGap(rows) ??
    (await findTampering(town, stores)) ??
    findUnaudited(deeds, rows, town.people) ??
    findUnauditedRefusal(deeds, rows) ??
    findUnaccounted(deeds, rows, town) ??
    (world.hasTroubles() ? null : findUntold(deeds, town.people)) ??
    findMisdirected(town.people, deeds, town.initial) ??
    findSecret(
      town.people.flatMap(
        ({ passwords, credentials, keys, acting, mails, challenges, totp, recoveryCodes, passkeys }) => [
          ...passwords,
          ...passkeys.responses.map(({ ceremony }) => ceremony),
          ...challenges.map(({ text }) => text),
          ...recoveryCodes,
          ...(totp === null ? [] : [totp]),
          ...[...credentials, ...keys, ...acting].flatMap(({ credential, refreshTokens, accessToken }) => [
            credential.secret,
            ...refreshTokens,
            ...(accessToken === null ? [] : [accessToken]),
          ]),
          ...mails.flatMap(({ url }) => (url ? (new URL(url).searchParams.get('token') ?? []) : [])),
        ],
      ),
      town.seen,
    )
  )
}

async function readRows({ audit }: Pick<WorldStores, 'audit'>): Promise<readonly StoredAuditRow[]> {
  const rows: StoredAuditRow[] = []
  let cursor: string | undefined
  do {
    const page = await audit.list({ limit: 1000, ...(cursor !== undefined && { cursor }) })
    rows.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  return rows
}

function findUnexpected(deeds: readonly Deed[]): string | null {
  const deed = deeds.find(({ outcome }) => outcome.kind === 'failed' && outcome.code.startsWith('UNEXPECTED'))
  return deed ? `deed ${deed.number} (${deed.what}): ${'code' in deed.outcome ? deed.outcome.code : ''}` : null
}

/** Once the failures have stopped, each operation is answered as if there had been none. */
export function findOutage(calmDeeds: readonly Deed[]): string | null {
  const deed = calmDeeds.find(({ outcome }) => outcome.kind === 'failed' && outcome.code.startsWith('STORE_'))
  return deed ? `deed ${deed.number} (${deed.what}) failed, and no store fails any more` : null
}

/** The rows of each chain are numbered without a gap. */
function findGap(rows: readonly StoredAuditRow[]): string | null {
  for (const [chain, own] of Map.groupBy(rows, (row) => row.chain)) {
    const numbers = own.map(({ sequence }) => sequence).sort((one, other) => one - other)
    if (numbers.some((number, index) => number !== index + 1)) return `the audit chain ${chain} has a gap`
  }
  return null
}

/** Nobody changes the log, so nothing is reported, whatever has failed. */
async function findTampering({ secrets, board }: Ending['town'], { audit }: Ending['stores']): Promise<string | null> {
  // A whole server derives secrets of its own for the log.
  if (board !== null) return null
  const { findings } = await verifyAudit({ store: audit, secrets })
  const [finding] = findings
  return finding ? `nobody has changed the audit log: ${describeFinding(finding)}` : null
}

function findSecret(secrets: readonly string[], seen: readonly string[]): string | null {
  const text = seen.join('\n')
  const leaked = secrets.find((secret) => text.includes(secret))
  if (leaked === undefined) return null
  return `the secret ${leaked} is in: ${seen.find((line) => line.includes(leaked))?.slice(0, 300)}`
}

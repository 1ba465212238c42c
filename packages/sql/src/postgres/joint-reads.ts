import type { IdentityReads, StoredIdentity } from '@latchkey/accounts'
import { afterTurn } from '@latchkey/core/internal'
import { type SqlExecutor, type SqlRow, storeTime } from '../statements/sql-executor.ts'
import { denialOf, identityColumns, readIdentityRow } from '../stores/sql-identity-reads.ts'

/** A caller that waits for the identity of its key. */
interface Waiting {
  readonly key: string
  readonly denialIds: readonly string[]
  readonly resolve: (row: SqlRow | undefined) => void
  readonly reject: (error: unknown) => void
}

// One statement for any number of keys. Its parameter is a text, which every driver passes as it is: where the server expects
// JSON, postgres.js would write the text as JSON once more.
const read = `select place, ${identityColumns}, case when exists (
${denialOf('first_denial, second_denial')}) then 1 else 0 end as denied
from json_to_recordset(cast(cast($1 as text) as json)) as asked (place integer, asked_key text, first_denial text, second_denial text)
join latchkey_records on key = asked_key join latchkey_accounts on id = owner where expires_at > $2`

const readAtMost = 100
const denialsAtMost = 2

/** A text of others within JSON could be one that PostgreSQL cannot read, and would fail for all. */
const isPlain = /^[\w:.-]{1,512}$/

/**
 * Returns reads that join the callers which arrive during another read into one statement. It starts after all of its
 * callers have asked, and no caller waits for another statement.
 */
export function createJointReads({ run }: Pick<SqlExecutor, 'run'>, alone: IdentityReads): IdentityReads {
  let waiting: Waiting[] = []
  let underWay = 0

  async function readTogether(asked: readonly Waiting[]): Promise<void> {
    try {
      const rows = new Map((await run(read, [writeAsked(asked), storeTime])).map((row) => [Number(row.place), row]))
      for (const [place, { resolve }] of asked.entries()) resolve(rows.get(place))
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  function flush(): void {
    const asked = waiting
    waiting = []
    for (let from = 0; from < asked.length; from += readAtMost) void readTogether(asked.slice(from, from + readAtMost))
  }

  async function readJointly(key: string, denialIds: readonly string[]): Promise<StoredIdentity | null> {
    const row = await new Promise<SqlRow | undefined>((resolve, reject) => {
      if (waiting.push({ key, denialIds, resolve, reject }) === 1) afterTurn(flush)
    })
    return row ? readIdentityRow(key, row) : null
  }

  return {
    ...alone,
    async read(key, denialIds = []) {
      const mayJoin = denialIds.length <= denialsAtMost && [key, ...denialIds].every((text) => isPlain.test(text))
      try {
        return underWay++ > 0 && mayJoin ? await readJointly(key, denialIds) : await alone.read(key, denialIds)
      } finally {
        underWay--
      }
    },
  }
}

function writeAsked(asked: readonly Waiting[]): string {
  return JSON.stringify(
    asked.map(({ key, denialIds: [first, second] }, place) => ({
      place,
      asked_key: key,
      first_denial: first,
      second_denial: second,
    })),
  )
}

import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createCredential, type RecordStore } from '@latchkey/store'
import { stores } from './sessions-stores.ts'

/** What so many unknown credentials leave in a store. */
export interface UnknownFigures {
  readonly store: string
  readonly shown: number
  readonly writes: number
  readonly before: string | null
  readonly after: string | null
}

/** Half of them as sessions, half as refresh tokens; well-formed, since others are refused before the store is asked. */
export async function measureUnknown(shown: number): Promise<UnknownFigures[]> {
  const all: UnknownFigures[] = []
  for (const [store, open] of Object.entries(stores)) {
    const opened = await open()
    if (!opened) continue
    const counted = countWrites(opened.records)
    const sessions = createSessions({ records: counted.records })
    const refreshTokens = createRefreshTokens({ ...counted, secrets: [{ id: 'one', bytes: randomBytes(32) }] })
    await sessions.create({ subject: 'acc_1', factors: [] })
    const [writes, before] = [counted.writes(), await opened.size()]
    const askOnce = async (index: number) => {
      if (index % 2) return (await sessions.read(createCredential('se').text)) === null
      return (await refreshTokens.redeem(createCredential('rt', 48).text, { clientId: 'web' })).ok === false
    }
    for (let done = 0; done < shown; done += 200) {
      const refused = await Promise.all(
        Array.from({ length: Math.min(200, shown - done) }, (_none, index) => askOnce(index)),
      )
      if (refused.includes(false)) throw new Error('an unknown credential was taken')
    }
    all.push({ store, shown, writes: counted.writes() - writes, before, after: await opened.size() })
    await opened.close()
  }
  return all
}

function countWrites(records: RecordStore): { readonly records: RecordStore; readonly writes: () => number } {
  let writes = 0
  const counting = { ...records }
  for (const name of ['insert', 'replace', 'touch', 'remove', 'removeByOwner'] as const) {
    const method = records[name] as (...given: unknown[]) => Promise<never>
    counting[name] = (...given: unknown[]) => {
      writes++
      return method(...given)
    }
  }
  return { records: counting, writes: () => writes }
}

import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createCredential, type RecordStore } from '@latchkey/store'
import { atMost, type PartReport, type PartRun, type Target } from '../part.ts'
import type { Table } from '../table.ts'
import { stores } from './sessions-stores.ts'

/** The effect of this many unknown credentials on a store. */
interface UnknownFigures {
  readonly store: string
  readonly shown: number
  readonly writes: number
  readonly before: string | null
  readonly after: string | null
}

/**
 * Presents one half as sessions and the other as refresh tokens. They are well-formed, because others are refused
 * before the store is read.
 */
export async function measureSessionsUnknown({ own, progress }: PartRun): Promise<PartReport> {
  const shown = Number(own.unknown)
  const all: UnknownFigures[] = []
  for (const [store, open] of Object.entries(stores)) {
    const opened = await open()
    if (!opened) continue
    progress(`${store}: ${shown} unknown credentials`)
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
  return { tables: [writeTable(all)], targets: all.map(judge), figures: all }
}

function judge({ store, writes }: UnknownFigures): Target {
  return atMost(0, 'writes', store, writes)
}

function writeTable(all: readonly UnknownFigures[]): Table {
  const rows = all.map(({ store, shown, writes, before, after }) => [
    store,
    String(shown),
    String(writes),
    before ?? '–',
    after ?? '–',
  ])
  const head = ['store', 'ids shown', 'writes', 'size before', 'size after']
  return {
    title: 'Half session cookies, half refresh tokens, well-formed, on a store that holds one session',
    head,
    rows,
    chart: null,
  }
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

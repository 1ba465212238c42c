// A record store on plain files, for any number of processes on one machine. It needs one thing of its backend that has
// exactly one winner, as every store does. Here it is rename(2): of all who rename the same file, one succeeds.
//
//   records/<hash of the key>/              one folder for each record
//     state_<version>_<expiry>_<value id>   its state is the name of this empty file: renaming it is the swap
//     <value id>                            the value, written before a state names it
//   owners/<hash of the owner>/<hash of the key>
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RecordStore, type StoredRecord, StoreError } from '@latchkey/store'

interface Found {
  readonly place: string
  readonly state: string
  readonly record: StoredRecord
}

/** Creates a record store in a folder. A POSIX file system on a local disk is needed. */
export function createFileRecordStore({
  folder,
  now = Date.now,
}: {
  readonly folder: string
  readonly now?: () => number
}): RecordStore {
  const placeOf = (keyHash: string) => join(folder, 'records', keyHash)
  const indexOf = (owner: string) => join(folder, 'owners', hash(owner))
  let sweptTo = ''

  async function find(keyHash: string, time = now()): Promise<Found | null> {
    const place = placeOf(keyHash)
    for (let look = 0; look < 1000; look++) {
      const found = await readPlace(place)
      if (found === 'absent') return null
      if (found !== 'look again') return found.record.expiresAt > time ? found : null
    }
    throw new Error(`${place} shows no state`)
  }

  /** Makes one change in the state that was found, and reads again when another process has changed it meanwhile. */
  async function change(
    keyHash: string,
    attempt: (found: Found) => Promise<boolean | 'look again'>,
    time?: number,
  ): Promise<boolean> {
    for (;;) {
      const found = await find(keyHash, time)
      const outcome = found ? await attempt(found) : false
      if (outcome !== 'look again') return outcome
    }
  }

  async function erase({ place, state, record }: Found): Promise<boolean | 'look again'> {
    if (!(await swap(place, state, 'gone'))) return 'look again'
    await clear(place)
    // The entry goes with the record that this very caller removed, and in no other case.
    if (record.owner !== null) await rm(join(indexOf(record.owner), hash(record.key)), { force: true })
    return true
  }

  async function clear(place: string): Promise<void> {
    const grave = await draft()
    if (await orNull(rename(place, join(grave, 'record')).then(() => true))) await rm(grave, { recursive: true })
  }

  async function draft(): Promise<string> {
    const place = join(folder, 'drafts', randomUUID())
    await mkdir(place, { recursive: true })
    return place
  }

  async function keysOf(owner: string): Promise<string[]> {
    return ((await orNull(readdir(indexOf(owner)))) ?? []).sort()
  }

  return guard({
    capabilities: { contract: 1, consistency: 'strong', nativeExpiry: false, expiryGranularityMs: 1 },
    now, // files have no clock of their own: processes on one machine share this one
    async insert({ key, owner, expiresAt, value }) {
      const [keyHash, valueId, place] = [hash(key), randomUUID(), await draft()]
      if (owner !== null) {
        await mkdir(indexOf(owner), { recursive: true })
        await writeFile(join(indexOf(owner), keyHash), '')
      }
      if (await find(keyHash)) return false
      await change(keyHash, erase, 0) // an expired one
      await mkdir(join(folder, 'records'), { recursive: true })
      await writeFile(join(place, valueId), JSON.stringify({ key, owner, value }), { flush: true })
      await writeFile(join(place, nameState(1, expiresAt, valueId)), '')
      // A folder takes the place of nothing or of an empty one: of all who insert one key, one succeeds.
      return orFalse(rename(place, placeOf(keyHash)), ['ENOTEMPTY', 'EEXIST'])
    },
    get: async (key) => (await find(hash(key)))?.record ?? null,
    replace: ({ key, version }, { value, expiresAt }) =>
      change(hash(key), async ({ place, state, record }) => {
        if (record.version !== version) return false
        const valueId = randomUUID()
        const text = JSON.stringify({ key, owner: record.owner, value })
        if (!(await orFalse(writeFile(join(place, valueId), text, { flush: true })))) return 'look again'
        const won = await swap(place, state, nameState(version + 1, expiresAt, valueId))
        await rm(join(place, won ? valueIdOf(state) : valueId), { force: true })
        return won || 'look again'
      }),
    touch: ({ key }, expiresAt) =>
      change(hash(key), async ({ place, state, record }) => {
        return (await swap(place, state, nameState(record.version, expiresAt, valueIdOf(state)))) || 'look again'
      }),
    remove: (key) => change(hash(key), erase, 0), // whatever the clock says
    async listByOwner(owner, { limit = 100, cursor = '' } = {}) {
      const rest = (await keysOf(owner)).filter((name) => name > cursor)
      const page = rest.slice(0, limit)
      const found = await Promise.all(page.map((name) => find(name)))
      const items = found.flatMap((one) => (one?.record.owner === owner ? [one.record] : []))
      return rest.length > limit ? { items, cursor: page.at(-1) ?? '' } : { items }
    },
    async removeByOwner(owner, { except } = {}) {
      const isMeant = ({ record }: Found) => record.owner === owner && record.key !== except
      const names = await keysOf(owner)
      const outcomes = names.map((name) => change(name, async (found) => isMeant(found) && erase(found), 0))
      return (await Promise.all(outcomes)).filter(Boolean).length
    },
    async sweep(limit) {
      const time = now()
      const names = ((await orNull(readdir(join(folder, 'records')))) ?? []).sort().filter((name) => name > sweptTo)
      const step = names.slice(0, limit)
      sweptTo = names.length > limit ? (step.at(-1) ?? '') : ''
      const isPast = ({ record }: Found) => record.expiresAt <= time
      const outcomes = step.map((name) => change(name, async (found) => isPast(found) && erase(found), 0))
      return (await Promise.all(outcomes)).filter(Boolean).length
    },
  })
}

async function readPlace(place: string): Promise<Found | 'absent' | 'look again'> {
  const names = await orNull(readdir(place))
  if (names === null || names.length === 0 || names.includes('gone')) return 'absent'
  const state = names.find((name) => name.startsWith('state_'))
  const text = state === undefined ? null : await orNull(readFile(join(place, valueIdOf(state)), 'utf8'))
  // A folder that is read while its state is renamed may show neither name: that is not absence.
  if (state === undefined || text === null) return 'look again'
  const [, version, expiresAt] = state.split('_')
  return { place, state, record: { ...JSON.parse(text), version: Number(version), expiresAt: Number(expiresAt) } }
}

/** The compare and swap: true for one caller, because the old name is gone after that. */
function swap(place: string, state: string, next: string): Promise<boolean> {
  return orFalse(rename(join(place, state), join(place, next)))
}

function nameState(version: number, expiresAt: number, valueId: string): string {
  return `state_${version}_${expiresAt}_${valueId}`
}

function valueIdOf(state: string): string {
  return state.split('_')[3] ?? ''
}

/** Any text becomes a name of 64 letters: no path, no letter case, no length can be wrong with it. */
function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** `false` when the file was not there (any more); every other failure is one. */
async function orFalse(action: Promise<unknown>, codes: readonly string[] = ['ENOENT']): Promise<boolean> {
  return (
    (await orNull(
      action.then(() => true),
      codes,
    )) ?? false
  )
}

async function orNull<T>(action: Promise<T>, codes: readonly string[] = ['ENOENT']): Promise<T | null> {
  return action.catch((error: NodeJS.ErrnoException) => {
    if (codes.includes(error.code ?? '')) return null
    throw error
  })
}

/** A failure of the disk is an outage and must not be read as "there is no such session". */
function guard(store: Required<Omit<RecordStore, 'close' | 'isInMemory'>>): RecordStore {
  const guarded =
    <Given extends unknown[], Answer>(method: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> =>
      method(...given).catch((cause) => {
        throw new StoreError('STORE_UNAVAILABLE', 'the file system failed', { cause })
      })
  return {
    capabilities: store.capabilities,
    now: store.now,
    insert: guarded(store.insert),
    get: guarded(store.get),
    replace: guarded(store.replace),
    touch: guarded(store.touch),
    remove: guarded(store.remove),
    listByOwner: guarded(store.listByOwner),
    removeByOwner: guarded(store.removeByOwner),
    sweep: guarded(store.sweep),
  }
}

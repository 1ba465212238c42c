/** A store with one careless mistake, which a kit should find. */
export interface CarelessStore<Store> {
  readonly mistake: string
  readonly createStore: () => Store
}

type Method = (...given: never[]) => Promise<unknown>
type Call = (...given: unknown[]) => Promise<unknown>
type Spoil = (call: Call, given: readonly unknown[]) => Promise<unknown>

/** Returns a store of which these methods are called in another way. */
function spoilt<Store extends object>(store: Store, methods: readonly string[], spoil: Spoil): Store {
  const known = store as Readonly<Record<string, Method>>
  const changed = methods.map((name) => {
    const call: Call = (...given) => (known[name] as unknown as Call).apply(store, given)
    return [name, (...given: unknown[]) => spoil(call, given)] as const
  })
  return { ...store, ...Object.fromEntries(changed) }
}

const cutAt = (length: number) => (text: string) => text.slice(0, length)
const isWide = (character: string) => character > '\u00ff'

type TextMistake =
  | 'in lower case'
  | 'without white space at its end'
  | 'without accents'
  | 'normalized'
  | 'cut at 255 characters'
  | 'cut at a NUL'
  | 'in Latin-1'
  | 'with line breaks of one kind'

/** The mistakes that a column makes with a text. */
const texts: Readonly<Record<TextMistake, (text: string) => string>> = {
  'in lower case': (text) => text.toLowerCase(),
  'without white space at its end': (text) => text.trimEnd(),
  'without accents': (text) => text.normalize('NFD').replace(/\p{M}/gu, ''),
  normalized: (text) => text.normalize('NFC'),
  'cut at 255 characters': cutAt(255),
  'cut at a NUL': (text) => text.split('\0')[0] ?? '',
  'in Latin-1': (text) => [...text].map((one) => (isWide(one) ? '?' : one)).join(''),
  'with line breaks of one kind': (text) => text.replaceAll('\r\n', '\n'),
}

/** The place of a field in a method: the index of its argument, and the name of its member. */
export type FieldPlace = readonly [method: string, argument: number, member?: string]

/** Returns stores that store a text field wrongly in all places: with each mistake, or with the given mistakes. */
export function carelessTexts<Store extends object>(
  field: string,
  create: () => Store,
  places: readonly FieldPlace[],
  mistakes: readonly TextMistake[] = Object.keys(texts) as TextMistake[],
): readonly CarelessStore<Store>[] {
  return mistakes.map((how) => careless(`keeps "${field}" ${how}`, create, places, texts[how]))
}

const numbers: Readonly<Record<string, (value: number) => number>> = {
  'in whole seconds': (value) => Math.floor(value / 1000) * 1000,
  'in 32 bits': (value) => value % 2 ** 32,
  'with seven digits': (value) => Number(value.toPrecision(7)),
  'one more': (value) => value + 1,
  'one less': (value) => value - 1,
}

/** The same for a number. */
export function carelessNumbers<Store extends object>(
  field: string,
  create: () => Store,
  places: readonly FieldPlace[],
): readonly CarelessStore<Store>[] {
  return Object.entries(numbers).map(([how, change]) => careless(`keeps "${field}" ${how}`, create, places, change))
}

function careless<Store extends object, Value>(
  mistake: string,
  create: () => Store,
  places: readonly FieldPlace[],
  change: (value: Value) => Value,
): CarelessStore<Store> {
  const createStore = (): Store =>
    places.reduce(
      (store, [method, argument, member]) =>
        spoilt(store, [method], (call, given) =>
          call(...given.map((one, index) => (index === argument ? changeMember(one, member, change) : one))),
        ),
      create(),
    )
  return { mistake, createStore }
}

function changeMember<Value>(given: unknown, member: string | undefined, change: (value: Value) => Value): unknown {
  if (given === undefined || given === null) return given
  if (Array.isArray(given)) return given.map((one) => changeMember(one, member, change))
  if (member === undefined) return change(given as Value)
  const value = (given as Readonly<Record<string, Value | null>>)[member]
  return value === undefined || value === null ? given : { ...given, [member]: change(value) }
}

const later = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** The mistakes of a method that changes data. */
const changes: Readonly<Record<string, Spoil>> = {
  'always answers true': async (call, given) => {
    await call(...given)
    return true
  },
  'always answers false': async (call, given) => {
    await call(...given)
    return false
  },
  'answers nothing': async (call, given) => void (await call(...given)),
  'does nothing, and says that it did': async () => true,
  'takes effect after its answer': async (call, given) => {
    void later(15).then(() => call(...given).catch(() => null))
    return true
  },
  'is sent twice': async (call, given) => {
    await call(...given)
    return call(...given)
  },
  'fails at the first call in ten': (() => {
    let calls = 0
    return async (call, given) => {
      if (calls++ % 10 === 0) throw new Error('ECONNRESET')
      return call(...given)
    }
  })(),
}

/** Returns stores of which one method that changes something is careless. */
export function carelessChanges<Store extends object>(
  create: () => Store,
  methods: readonly string[],
): readonly CarelessStore<Store>[] {
  return methods.flatMap((method) =>
    Object.entries(changes).map(([how, spoil]) => ({
      mistake: `${method} ${how}`,
      createStore: () => spoilt(create(), [method], spoil),
    })),
  )
}

interface Pages {
  readonly items: readonly unknown[]
  readonly cursor?: string
}

type Read = (page: object) => Promise<Pages>
type SpoilPage = (read: Read, page: { readonly limit?: number; readonly cursor?: string }) => Promise<Pages>

const pages: Readonly<Record<string, SpoilPage>> = {
  'ignores its limit': (read, { limit: _limit, ...page }) => read({ ...page, limit: 100_000 }),
  'returns one more than its limit': (read, { limit = 100, ...page }) => read({ ...page, limit: limit + 1 }),
  'ignores its cursor': (read, { cursor: _cursor, ...page }) => read(page),
  'has no cursor': async (read, page) => ({ items: (await read(page)).items }),
  'always has a cursor': async (read, page) => ({ cursor: page.cursor ?? 'again', ...(await read(page)) }),
  'loses the last item of a full page': async (read, page) => {
    const { items, ...rest } = await read(page)
    return { items: rest.cursor === undefined ? items : items.slice(0, -1), ...rest }
  },
  'loses the first item of each further page': async (read, page) => {
    const { items, ...rest } = await read(page)
    return { items: page.cursor === undefined ? items : items.slice(1), ...rest }
  },
  'repeats the first item of each page': async (read, page) => {
    const { items, ...rest } = await read(page)
    return { items: [...items.slice(0, 1), ...items], ...rest }
  },
  'has an empty page without an end when there is none': async (read, page) => {
    const found = await read(page)
    return found.items.length === 0 ? { items: [], cursor: 'next' } : found
  },
  'ends after ten pages of items': async (read, page) => {
    const found = await read({ ...page, limit: Math.min(page.limit ?? 100, 50) })
    return page.cursor === undefined ? found : { items: found.items }
  },
  'returns copies without their last member': async (read, page) => {
    const { items, ...rest } = await read(page)
    return { items: items.map((item) => Object.fromEntries(Object.entries(item as object).slice(0, -1))), ...rest }
  },
}

/** Returns stores of which one list is careless; its page is the argument at that place. */
export function carelessLists<Store extends object>(
  create: () => Store,
  lists: readonly (readonly [method: string, argument: number])[],
): readonly CarelessStore<Store>[] {
  return lists.flatMap(([method, argument]) =>
    Object.entries(pages).map(([how, spoil]) => ({
      mistake: `${method} ${how}`,
      createStore: () =>
        spoilt(create(), [method], (call, given) => {
          const read: Read = (page) => call(...given.slice(0, argument), page) as Promise<Pages>
          return spoil(read, given[argument] ?? {})
        }),
    })),
  )
}

/** Returns stores with a mistake of their own. */
export function carelessMethods<Store extends object>(
  create: () => Store,
  mistakes: Readonly<Record<string, (sound: Store) => Partial<Store>>>,
): readonly CarelessStore<Store>[] {
  return Object.entries(mistakes).map(([mistake, spoil]) => ({
    mistake,
    createStore: () => {
      const sound = create()
      return { ...sound, ...spoil(sound) }
    },
  }))
}

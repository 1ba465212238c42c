import type { Operation } from './linearize.ts'
import type { ObjectModel } from './record-calls.ts'

/** A record or a document. */
interface Owned {
  readonly owner: string | null
}

interface Stored<Item> {
  readonly item: Item
  /** The end of its insert: `removeByOwner` need not meet it before. */
  readonly since: number
}

/** What differs between records and documents. */
export interface OwnedContract<Item extends Owned> extends Pick<ObjectModel<unknown>, 'methods' | 'nameOf'> {
  /** Returns the item after a change, `null` if none is left, or `false` if the change must be refused. */
  changed(item: Item | null, operation: Operation): Item | null | false
  /** Whether `removeByOwner` with these options leaves the item. */
  readonly isLeft: (item: Item, options: unknown) => boolean
}

/** The state of one object that has an owner; `null` while it is absent. */
export type OwnedModel<Item extends Owned> = ObjectModel<Stored<Item> | null>

/** Listings are not recorded: no contract promises that a page is of one instant. */
export function ownedModel<Item extends Owned>(contract: OwnedContract<Item>): OwnedModel<Item> {
  return {
    methods: contract.methods,
    nameOf: contract.nameOf,
    initial: null,
    isRead: ({ method, answer }) => method === 'get' || answer === false,
    step(state, operation) {
      if (operation.method === 'get') return isSame(operation.answer, state?.item ?? null) ? [state] : []
      if (operation.method === 'removeByOwner') return removed(contract, state, operation)
      return changed(contract, state, operation)
    },
  }
}

function changed<Item extends Owned>(
  contract: OwnedContract<Item>,
  state: Stored<Item> | null,
  operation: Operation,
): readonly (Stored<Item> | null)[] {
  const item = contract.changed(state?.item ?? null, operation)
  if (operation.end !== Number.POSITIVE_INFINITY && operation.answer !== (item !== false)) return []
  if (item === false) return [state]
  return [item && { item, since: state?.since ?? operation.end }]
}

function removed<Item extends Owned>(
  { isLeft }: OwnedContract<Item>,
  state: Stored<Item> | null,
  { input: [owner, options], start }: Operation,
): readonly (Stored<Item> | null)[] {
  if (!state || state.item.owner !== owner || isLeft(state.item, options)) return [state]
  return state.since < start ? [null] : [null, state]
}

function isSame(answer: unknown, item: object | null): boolean {
  if (!answer || !item) return !answer && !item
  return Object.entries(item).every(([name, member]) => (answer as Record<string, unknown>)[name] === member)
}

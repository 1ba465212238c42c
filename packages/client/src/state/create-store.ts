import type { AuthState } from './auth-state.ts'
import { createListeners } from './create-listeners.ts'

type Identified = { readonly id: string }

/** Who is signed in, and who wants to know. */
export interface Store<User extends Identified> {
  get(): AuthState<User>
  set(state: AuthState<User>): void
  /** The user who was last known to be there; `undefined` until anybody or nobody was. */
  user(): User | null | undefined
  /** Changes with the user: what was asked before it changed is no answer any more. */
  turn(): number
  /** Makes all that was asked so far no answer any more, until it is known who is there. */
  overtake(): void
  subscribe(listener: () => void): () => void
  onUserChange(listener: (user: User | null, previous: User | null) => void): () => void
}

/** Creates a store that knows nothing. */
export function createStore<User extends Identified>(): Store<User> {
  let state: AuthState<User> = { status: 'loading', isOffline: false }
  let known: User | null | undefined
  let turn = 0
  const changes = createListeners<[]>()
  const users = createListeners<[User | null, User | null]>()
  const set = (next: AuthState<User>): void => {
    const previous = known
    state = keepUser(next, previous)
    const user = userOf(state)
    if (user !== undefined) known = user
    const isChange = previous !== undefined && previous?.id !== known?.id
    if (isChange) turn++
    if (isChange) users.call(known ?? null, previous)
    changes.call()
  }
  return {
    get: () => state,
    set,
    user: () => known,
    turn: () => turn,
    overtake: () => {
      turn++
      set({ status: 'loading', isOffline: false })
    },
    subscribe: changes.add,
    onUserChange: users.add,
  }
}

function userOf<User extends Identified>(state: AuthState<User>): User | null | undefined {
  if (state.status === 'signed-in') return state.user
  return state.status === 'signed-out' ? null : undefined
}

/** The same user stays the same object. */
function keepUser<User extends Identified>(state: AuthState<User>, previous: User | null | undefined): AuthState<User> {
  if (state.status !== 'signed-in' || !previous) return state
  return JSON.stringify(state.user) === JSON.stringify(previous) ? { ...state, user: previous } : state
}

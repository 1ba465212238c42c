import type { AuthState } from './auth-state.ts'
import { createListeners } from './create-listeners.ts'

type Identified = { readonly id: string }

/** The state and its listeners. */
export interface Store<User extends Identified> {
  get(): AuthState<User>
  is(status: AuthState<User>['status']): boolean
  set(state: AuthState<User>): void
  /** The last known user; `null`: signed out; `undefined`: not known yet. */
  user(): User | null | undefined
  /** Changes with the user: a response to an earlier turn is not for the current user. */
  turn(): number
  /** Starts a new turn: responses under way are dropped until the user is known. */
  overtake(): void
  subscribe(listener: () => void): () => void
  onUserChange(listener: (user: User | null, previous: User | null) => void): () => void
}

/** Creates a store in the state `loading`. */
export function createStore<User extends Identified>(): Store<User> {
  let state: AuthState<User> = { status: 'loading', isOffline: false }
  let known: User | null | undefined
  let turn = 0
  const changes = createListeners<[]>()
  const users = createListeners<[User | null, User | null]>()
  const set = (next: AuthState<User>): void => {
    const previous = known
    state = keepUser(next, previous)
    if (state.status === 'signed-in') known = state.user
    if (state.status === 'signed-out') known = null
    if (previous !== undefined && previous?.id !== known?.id) {
      turn++
      users.call(known ?? null, previous)
    }
    changes.call()
  }
  return {
    get: () => state,
    is: (status) => state.status === status,
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

/** The same user stays the same object. */
function keepUser<User extends Identified>(state: AuthState<User>, user: User | null | undefined): AuthState<User> {
  const isSame = state.status === 'signed-in' && user && JSON.stringify(state.user) === JSON.stringify(user)
  return isSame ? { ...state, user } : state
}

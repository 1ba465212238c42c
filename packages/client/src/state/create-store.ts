import type { AuthState } from './auth-state.ts'
import { createListeners } from './create-listeners.ts'

type Identified = { readonly id: string }

/** Who is signed in, and who wants to know. */
export interface Store<User extends Identified> {
  get(): AuthState<User>
  is(status: AuthState<User>['status']): boolean
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

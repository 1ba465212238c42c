import { useEffect, useState, useSyncExternalStore } from 'react'
import type { AuthCore } from './core/auth-core.ts'
import type { AuthState } from './state/auth-state.ts'
import type { StepUpRequest } from './state/step-up-request.ts'

/**
 * Returns the state of the sign-in, and renders again when it changes.
 *
 * @example
 * import { createAuthClient } from '@latchkey/client'
 * import { useAuth } from '@latchkey/client/react'
 *
 * const auth = createAuthClient()
 *
 * export function Greeting() {
 *   const state = useAuth(auth)
 *   return state.status === 'signed-in' ? `Hello, ${state.user.name}` : 'Hello'
 * }
 */
export function useAuth<User extends { readonly id: string }>(auth: AuthCore<User>): AuthState<User> {
  return useSyncExternalStore(auth.subscribe, auth.getState, auth.getState)
}

/**
 * Returns the proof that the user must give, or `null`. A page that calls it must show the dialog, because requests wait for it.
 *
 * @example
 * import { createAuthClient } from '@latchkey/client'
 * import { useStepUp } from '@latchkey/client/react'
 *
 * const auth = createAuthClient()
 *
 * export function useConfirmation() {
 *   const request = useStepUp(auth)
 *   return request && { confirm: (password: string) => request.verify({ password }), close: request.cancel }
 * }
 */
export function useStepUp<User extends { readonly id: string }>(auth: AuthCore<User>): StepUpRequest | null {
  const [request, setRequest] = useState<StepUpRequest | null>(null)
  useEffect(() => auth.onStepUp(setRequest), [auth])
  return request
}

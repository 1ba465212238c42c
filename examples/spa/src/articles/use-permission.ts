import { useAuth } from '@latchkey/client/react'
import { auth } from '../data/auth.ts'

/** Whether the user's role has a permission. It decides what is offered here; what is allowed the service decides. */
export function usePermission(permission: string): boolean {
  const state = useAuth(auth)
  return state.status === 'signed-in' && state.session.permissions.includes(permission)
}

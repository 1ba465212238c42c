import { useAuth } from '@latchkey/client/react'
import { auth } from '../data/auth.ts'

/** Returns whether the user's role has a permission, to show or hide a control. The service decides about access. */
export function usePermission(permission: string): boolean {
  const state = useAuth(auth)
  return state.status === 'signed-in' && state.session.permissions.includes(permission)
}

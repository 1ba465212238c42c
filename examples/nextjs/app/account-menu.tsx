'use client'

import { type AuthState, createAuthClient } from '@latchkey/client'
import { useAuth } from '@latchkey/client/react'
import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'

interface User {
  readonly id: string
  readonly name: string
  readonly role: string
}

interface Props {
  /** The state that the server has read: the page does not request it again. */
  readonly initial: AuthState<User>
}

export function AccountMenu({ initial }: Props) {
  const router = useRouter()
  const [auth] = useState(() => {
    const client = createAuthClient<User>({ userFields: 'id name role' })
    client.hydrate(initial)
    return client
  })
  const state = useAuth(auth)
  // Signed in or out here or in another tab: the server renders the page for the new visitor.
  useEffect(() => auth.onUserChange(() => router.refresh()), [auth, router])

  if (state.status !== 'signed-in') return <a href="/sign-in?return_to=/">Sign in</a>
  return (
    <nav aria-label="Account">
      <a href="/account">{state.user.name}</a>
      <button type="button" onClick={() => auth.signOut()}>
        Sign out
      </button>
    </nav>
  )
}

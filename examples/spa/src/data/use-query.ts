import { useAuth } from '@latchkey/client/react'
import { useEffect, useState } from 'react'
import { ask } from './ask.ts'
import { auth } from './auth.ts'

export interface Query<Data> {
  /** `null` until the answer arrives. */
  readonly data: Data | null
  readonly failure: Error | null
  /** Sends the query again. The earlier data stays until the answer arrives. */
  reload(): void
}

/** Sends a query once for each user and set of variables, after the client has read the session. */
export function useQuery<Data>(document: string, variables: object = {}): Query<Data> {
  const state = useAuth(auth)
  const whose = state.status === 'signed-in' ? state.user.id : state.status
  const [asked, setAsked] = useState(0)
  const [answer, setAnswer] = useState<{ key: string; data: Data | null; failure: Error | null } | null>(null)
  const values = JSON.stringify(variables)
  const key = `${whose} ${document} ${values}`

  // biome-ignore lint/correctness/useExhaustiveDependencies(asked): it changes on a reload
  useEffect(() => {
    if (whose === 'loading') return
    const leaving = new AbortController()
    ask<Data>(document, JSON.parse(values), leaving.signal).then(
      (data) => setAnswer({ key, data, failure: null }),
      (failure) => leaving.signal.aborted || setAnswer({ key, data: null, failure }),
    )
    return () => leaving.abort()
  }, [document, values, whose, key, asked])

  const { data, failure } = answer?.key === key ? answer : { data: null, failure: null }
  return { data, failure, reload: () => setAsked((times) => times + 1) }
}

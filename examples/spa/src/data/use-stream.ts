import { useAuth } from '@latchkey/client/react'
import { sseOptions } from '@latchkey/client/subscriptions'
import { createClient } from 'graphql-sse'
import { useEffect, useRef } from 'react'
import { auth, streamUrl } from './auth.ts'

const streams = createClient(sseOptions(auth, { url: streamUrl }))

/** Calls `onData` with each event of a subscription while the component is mounted. Another user gets a new subscription. */
export function useStream<Data>(query: string, onData: (data: Data) => void): void {
  const state = useAuth(auth)
  const whose = state.status === 'signed-in' ? state.user.id : state.status
  const listener = useRef(onData)
  useEffect(() => {
    listener.current = onData
  })
  useEffect(() => {
    if (whose === 'loading') return
    const ignore = () => {}
    const next = ({ data }: { readonly data?: unknown }) => data && listener.current(data as Data)
    return streams.subscribe({ query }, { next, error: ignore, complete: ignore })
  }, [query, whose])
}

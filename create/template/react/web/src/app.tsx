import { type AuthError, createAuthClient } from '@latchkey/client'
import { useAuth } from '@latchkey/client/react'
import { type FormEvent, useEffect, useState } from 'react'

const auth = createAuthClient()

interface Note {
  readonly id: string
  readonly text: string
}

export function App() {
  const state = useAuth(auth)
  if (state.status === 'loading') return <main>{state.isOffline ? <Unreachable /> : 'One moment …'}</main>
  if (state.status !== 'signed-in') {
    return (
      <main>
        <h1>Notes</h1>
        <p>
          <a href="/sign-in?return_to=/">Sign in</a> or <a href="/sign-up?return_to=/">create an account</a>.
        </p>
      </main>
    )
  }
  return (
    <main>
      <header>
        <h1>Notes</h1>
        <a href="/account">{state.user.name}</a>
        <button type="button" onClick={() => auth.signOut()}>
          Sign out
        </button>
      </header>
      <Notes key={state.user.id} />
    </main>
  )
}

/** Also for a page at another address than `baseUrl`: the service answers 421, and its message names the setting. */
function Unreachable() {
  const [text, setText] = useState('The service cannot be reached.')
  useEffect(() => {
    const show = ({ code, message }: AuthError) => code === 'MISDIRECTED_REQUEST' && setText(message)
    auth.request('{ __typename }').catch(show)
  }, [])
  return <p role="alert">{text}</p>
}

function Notes() {
  const [notes, setNotes] = useState<readonly Note[]>([])
  const [error, setError] = useState('')

  async function read() {
    const data = await auth.request<{ notes: Note[] }>('{ notes { id text } }')
    setNotes(data.notes)
  }
  useEffect(() => {
    read().catch((failure: AuthError) => setError(failure.message))
  }, [])

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const text = `${new FormData(form).get('text')}`
    try {
      await auth.request('mutation ($text: String!) { createNote(text: $text) { id } }', { text })
      form.reset()
      setError('')
      await read()
    } catch (failure) {
      setError((failure as AuthError).message)
    }
  }

  return (
    <>
      <form onSubmit={add}>
        <label htmlFor="text">New note</label>
        <input id="text" name="text" required maxLength={500} />
        <button type="submit">Add</button>
      </form>
      {error && <p role="alert">{error}</p>}
      <ul>
        {notes.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
    </>
  )
}

import type { AuthState } from '@latchkey/client'
import type { User } from './data/auth.ts'
import { isDemo } from './demo/is-demo.ts'
import { Link } from './routing/link.tsx'

export function Masthead({ state }: { readonly state: AuthState<User> }) {
  const skip = () => document.querySelector<HTMLElement>('main h1')?.focus()
  return (
    <header className="masthead">
      <button type="button" className="skip" onClick={skip}>
        Skip to the content
      </button>
      <Link to="/" className="brand">
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <circle cx="8" cy="8" r="5" />
          <path d="m11.5 11.5 9 9m-3.5-3.5 2.5-2.5" />
        </svg>
        <span>The publication</span>
      </Link>
      <nav aria-label="Main">
        <Link to="/">Articles</Link>
        {isDemo && <Link to="/app/developers">Developers</Link>}
        {state.status === 'signed-in' ? (
          <>
            <Link to="/app/devices">Devices</Link>
            <Link to="/app/account" className="who">
              {state.user.name}
            </Link>
          </>
        ) : (
          state.status === 'signed-out' && <Link to="/app/sign-in">Sign in</Link>
        )}
      </nav>
    </header>
  )
}

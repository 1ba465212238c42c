import type { AuthState } from '@latchkey/client'
import { useAuth } from '@latchkey/client/react'
import { type ReactNode, useEffect } from 'react'
import { Account } from './account/account.tsx'
import { Devices } from './account/devices.tsx'
import { EditArticle, WriteArticle } from './articles/article-form.tsx'
import { ArticlePage } from './articles/article-page.tsx'
import { auth, type User } from './data/auth.ts'
import { Developers } from './demo/developers.tsx'
import { Home } from './home.tsx'
import { Masthead } from './masthead.tsx'
import { Notice } from './parts/notice.tsx'
import { Page } from './parts/page.tsx'
import { StepUpDialog } from './parts/step-up-dialog.tsx'
import { Link } from './routing/link.tsx'
import { navigate, usePath } from './routing/navigate.ts'
import { Forgotten, NewPassword } from './sign-in/reset.tsx'
import { SecondFactor } from './sign-in/second-factor.tsx'
import { SignIn } from './sign-in/sign-in.tsx'
import { SignUp } from './sign-in/sign-up.tsx'
import { Verify } from './sign-in/verify.tsx'

export function App() {
  const state = useAuth(auth)
  const path = usePath()
  return (
    <>
      <Masthead state={state} />
      <main id="main">
        {state.status === 'loading' && state.isOffline && (
          <Notice>The service cannot be reached. This page continues when it is back.</Notice>
        )}
        <View key={path} path={path} state={state} />
      </main>
      <StepUpDialog />
    </>
  )
}

type State = AuthState<User>
type View = (state: State, id: string) => ReactNode

/** Views for all visitors. */
const openViews: Readonly<Record<string, View>> = {
  '/': (state) => <Home state={state} />,
  '/app/articles': (_state, id) => <ArticlePage id={id} />,
  '/app/developers': () => <Developers />,
  '/app/verify': () => <Verify />,
  '/app/new-password': () => <NewPassword />,
}

/** Views for signed-in users. Other visitors see the sign-in form at the same path, and the view after it. */
const closedViews: Readonly<Record<string, View>> = {
  '/app/write': () => <WriteArticle />,
  '/app/edit': (_state, id) => <EditArticle id={id} />,
  '/app/account': (state) => state.status === 'signed-in' && <Account state={state} />,
  '/app/devices': () => <Devices />,
}

/** Views for visitors who are not signed in. After a sign-in they lead to the articles. */
const doors: Readonly<Record<string, View>> = {
  '/app/sign-in': (state) => <SignIn state={state} />,
  '/app/sign-up': () => <SignUp />,
  '/app/forgotten': () => <Forgotten />,
}

function View({ path, state }: { readonly path: string; readonly state: State }) {
  const [, name = '/', id = ''] = /^(\/app\/[^/]+)(?:\/([^/]+))?$/.exec(path) ?? []
  const open = openViews[name]
  const door = doors[name]
  if (state.status === 'second-factor') return <SecondFactor state={state} />
  if (open) return path === '/' || name !== '/' ? open(state, id) : <NoPage />
  if (!door && !closedViews[name]) return <NoPage />
  if (state.status === 'loading') return <div className="page" aria-busy="true" />
  if (state.status === 'signed-out') return (door ?? doors['/app/sign-in'])?.(state, id)
  return door ? <GoHome /> : closedViews[name]?.(state, id)
}

function GoHome() {
  useEffect(() => navigate('/', { replaces: true }), [])
  return null
}

function NoPage() {
  return (
    <Page title="No such page">
      <Link to="/" className="button">
        All articles
      </Link>
    </Page>
  )
}

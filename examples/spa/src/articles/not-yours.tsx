import { useAuth } from '@latchkey/client/react'
import { auth } from '../data/auth.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Notice } from '../parts/notice.tsx'
import type { Article } from './article.ts'

/** Explains a 403 for another author's article, and offers to save the text as a new draft. */
export function NotYours({
  article,
  saveAsOwn,
}: {
  readonly article: Article
  readonly saveAsOwn: () => Promise<void>
}) {
  const state = useAuth(auth)
  const name = state.status === 'signed-in' ? state.user.name : 'somebody else'
  return (
    <Notice kind="bad" title={`This article belongs to ${article.author.name}`}>
      <p>
        You are {name}. Only its author and administrators may change it, so the service answered{' '}
        <code>403 FORBIDDEN</code> before anything ran: the article is as it was, and your text is still in the form.
      </p>
      <ActionButton act={saveAsOwn}>Save it as a draft of your own</ActionButton>
    </Notice>
  )
}

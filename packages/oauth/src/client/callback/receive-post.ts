import type { ClientContext } from '../context/client-context.ts'
import { readAnswer } from '../transactions/answers.ts'

/** What comes of an answer that a provider has posted. */
export type PostVerdict =
  /** Answer 303 to this address, which `finish` answers: the browser shows its cookies there. */
  { readonly ok: true; readonly location: string } | { readonly ok: false; readonly reason: 'malformed' | 'state' }

/** Keeps an answer that a provider has posted: the browser shows no `SameSite=Lax` cookie to a post of another site. */
export async function receivePost(context: ClientContext, form: string): Promise<PostVerdict> {
  const { provider, postedAnswers, redirectUri, emit } = context
  const answer = provider.responseMode === 'form_post' ? readAnswer(new URLSearchParams(form)) : 'malformed'
  if (typeof answer === 'string') {
    emit({ type: 'callback.refused', provider: provider.name, reason: answer, detail: null })
    return { ok: false, reason: answer }
  }
  const location = new URL(redirectUri)
  location.searchParams.set('handle', await postedAnswers.keep(answer))
  return { ok: true, location: location.href }
}

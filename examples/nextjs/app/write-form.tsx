'use client'

import { useActionState } from 'react'
import { writeArticle } from './write-article'

export function WriteForm() {
  const [outcome, write, isPending] = useActionState(writeArticle, null)
  return (
    <form action={write}>
      <h2>Write an article</h2>
      <label>
        Title <input name="title" required />
      </label>
      <label>
        Text <textarea name="body" required rows={4} />
      </label>
      <button type="submit" disabled={isPending}>
        Save the draft
      </button>
      <output>{outcome !== null && ('error' in outcome ? outcome.error : `Saved “${outcome.title}”.`)}</output>
    </form>
  )
}

import { ask } from '../data/ask.ts'
import { Field, Form } from '../parts/form.tsx'
import { Link } from '../routing/link.tsx'
import { addComment } from './article.ts'
import { usePermission } from './use-permission.ts'

export interface Comment {
  readonly id: string
  readonly text: string
  readonly author: { readonly name: string }
}

export function Comments({
  articleId,
  comments,
  onChange,
}: {
  readonly articleId: string
  readonly comments: readonly Comment[]
  readonly onChange: () => void
}) {
  const mayComment = usePermission('comments:create')
  const submit = async ({ text = '' }) => {
    await ask(addComment, { input: { articleId, text } })
    onChange()
  }
  return (
    <section aria-labelledby="comments" className="comments">
      <h2 id="comments">Comments</h2>
      <ul>
        {comments.map(({ id, text, author }) => (
          <li key={id}>
            <strong>{author.name}</strong> {text}
          </li>
        ))}
      </ul>
      {mayComment ? (
        // A new key empties the field after a comment.
        <Form key={comments.length} submit={submit} button="Comment">
          <Field name="text" label="Your comment" rows={2} />
        </Form>
      ) : (
        <p className="muted">
          <Link to="/app/sign-in">Sign in</Link> to comment.
        </p>
      )}
    </section>
  )
}

import { Notice } from '../parts/notice.tsx'

export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  if (codes.length === 0) return null
  return (
    <Notice kind="good" title="Keep your recovery codes">
      <p>Each signs you in once without your phone. They are shown only now.</p>
      <ul className="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Notice>
  )
}

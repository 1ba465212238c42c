import { createAuthClient } from '@latchkey/client'
import { createOAuthClient } from '@latchkey/client/oauth'
import { useAuth, useStepUp } from '@latchkey/client/react'
import { createElement, type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

// The script of the pages that stage.ts serves.

type Auth = Parameters<typeof useAuth>[0]

function Status({ auth }: { readonly auth: Auth }): string {
  return useAuth(auth).status
}

/** Shows the factors that are asked for, with buttons that give a password or cancel. */
function Confirmation({ auth }: { readonly auth: Auth }): ReactNode {
  const request = useStepUp(auth)
  if (!request) return null
  const confirm = () => {
    const { value } = document.querySelector('input') as HTMLInputElement
    request.verify({ password: value }).catch(({ code }) => Object.assign(globalThis, { refusal: code }))
  }
  return createElement(
    'form',
    null,
    request.factors.join(),
    createElement('input'),
    createElement('button', { type: 'button', onClick: confirm }, 'Confirm'),
    createElement('button', { type: 'button', onClick: request.cancel }, 'Cancel'),
  )
}

/** Renders who is signed in, as an application in development does. */
function render(auth: Auth): void {
  const root = document.body.appendChild(document.createElement('main'))
  createRoot(root).render(
    createElement(StrictMode, null, createElement(Status, { auth }), createElement(Confirmation, { auth })),
  )
}

Object.assign(globalThis, { createAuthClient, createOAuthClient, render })

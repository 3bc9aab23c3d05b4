// Sends the password, and opens the page once it is right.
const form = document.querySelector('form')
const field = document.querySelector('input')
const told = document.querySelector('[role=alert]')

form?.addEventListener('submit', (event) => {
  event.preventDefault()
  void login()
})

async function login(): Promise<void> {
  const answer = await fetch('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: field?.value ?? '' }),
  })
  if (answer.ok) return location.reload()
  const { error } = (await answer.json()) as { readonly error: string }
  if (told !== null) told.textContent = error
  field?.select()
}

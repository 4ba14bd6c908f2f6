import { Page } from '../../parts/page.tsx'

export function PlaygroundPage() {
  return <Page title="playground">x</Page>
}

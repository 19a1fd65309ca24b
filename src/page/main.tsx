// Where the live page begins: puts the shell into the document. Must not know what the views show.
import { render } from 'preact';
import './style/theme.css';

function Page() {
  return <main>rubato</main>;
}

const root = document.querySelector('#page');
if (root !== null) render(<Page />, root);

// Where the live page begins: puts the page into the document. Must not know what it shows.
import { render } from 'preact';
import './style/theme.css';
import './style/base.css';
import './style/shell.css';
import './style/forced.css';
import { Page } from './shell/page.tsx';

const root = document.querySelector('#page');
if (root !== null) render(<Page />, root);

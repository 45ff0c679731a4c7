"""Usual spellings of the sounds of each language, the most usual first.

The sounds stand after "="; without "=", they are those that epitran reads. A spelling with "^" is used only at the start of a
word, with "~" only after the start, and with "$" only at the end.
"""

SPELLINGS = {
    "de": "a=a a=aː e=ə e=ɛ e=eː i=ɪ i=i i=iː o=ɔ o=oː u=ʊ u=uː ä=ɛ ä=ɛː ö=œ ö=øː ü=ʏ ü=yː ie=iː ah=aː eh=eː oh=oː "
    "uh=uː äh=ɛː öh=øː üh=yː ei=aɪ au=aʊ eu=ɔɪ er=ɐ b d f g=ɡ h j k=k l=l m=m n=n ng p=p r=r s=z s=s ss=s ~ß=s "
    "sch=ʃ ch=ç ch=x t=t w z=ts ck=k ff=f ll=l mm=m nn=n pp=p rr=r tt=t tz=ts v tsch dsch pf qu=kv x sp=ʃp st=ʃt "
    "e=e o=o u=u ö=ø ü=y a=ɑ sch=ʒ dsch=dʒ s=θ s=ð",
    "es": "a e i o u b=b c=k qu=k d f g=ɡ gu=ɡ gü j=x l ll=ʝ m n ñ=ɲ p r=ɾ ^r=r ~rr=r r$=r s=s t ch=tʃ y=ʝ z=θ c=θ ~k=k "
    "ia ie io ua ue ui uo hu=w i=j u=w e=ɛ o=ɔ a=ɑ i=ɪ u=ʊ d=ð g=ɣ b=β b=v e=ə a=æ o=œ u=y",
    "fr": "a é=e ~ë=e i o=o o=ɔ ou=u u=y e=ə è=ɛ eu=ø eu=œ oi=wa an=ɑ̃ en=ɑ̃ on=ɔ̃ in=ɛ̃ un=œ̃ au ai b d f g=ɡ gu=ɡ j=ʒ ch=ʃ "
    "k=k c=k qu=k l m n gne$=ɲ gn=ɲ p r=r s=s ss=s t v z=z s=z ille=j y=j ien=jɛ̃ oin=wɛ̃ ille$=ij ou=w u=ɥ te$=t "
    "de$=d ne$=n le$=l re$=r sse$=s que$=k gue$=ɡ che$=ʃ ge$=ʒ ve$=v fe$=f pe$=p be$=b me$=m ze$=z ng=ŋ tch=tʃ "
    "dj=dʒ h=h ou=ʊ i=ɪ a=ɑ a=æ s=θ z=ð w=w",
    "it": "a e i o u e=ɛ o=ɔ b c=k ch=k c=tʃ ci=tʃ d f g=ɡ gh=ɡ g=dʒ gi=dʒ gn=ɲ gli=ʎ l m n p qu=kw r s=s s=z sce=ʃe "
    "sci=ʃi scia=ʃa scio=ʃo sciu=ʃu sci=ʃ t v z=ts z=dz bb=bb cc=kk cch=kk cc=ttʃ cci=ttʃ dd=dd ff=ff gg=ɡɡ "
    "ggh=ɡɡ gg=ddʒ ggi=ddʒ ll=ll mm=mm nn=nn pp=pp rr=rr ss=ss tt=tt zz=tts zz=ddz vv=vv k=k i=j u=w i=ɪ u=ʊ a=ɑ "
    "h=h n=ŋ u=y e=ə e=ø a=æ gi=ʒ t=θ d=ð",
    "ja": "あ い う え お か き く け こ さ し す せ そ た ち つ て と な に ぬ ね の は ひ ふ へ ほ ま み む め も や "
    "ゆ よ ら り る れ ろ わ が ぎ ぐ げ ご ざ じ ず=zɯ ぜ ぞ だ で ど ば び ぶ べ ぼ ぱ ぴ ぷ ぺ ぽ きゃ きゅ "
    "きょ しゃ しゅ しょ ちゃ ちゅ ちょ にゃ にゅ にょ ひゃ ひゅ ひょ みゃ みゅ みょ りゃ りゅ りょ ぎゃ ぎゅ "
    "ぎょ じゃ じゅ じょ びゃ びゅ びょ ぴゃ ぴゅ ぴょ ん=ɴ ん=n ん=m っ=q しぇ=ɕe ちぇ=tɕe じぇ=ʑe ふぁ=fa "
    "ふぃ=fi ふ=fɯ ふぇ=fe ふぉ=fo ふ=hɯ ふ=ɸɯ てぃ=ti でぃ=di とぅ=tɯ どぅ=dɯ いぇ=je うぃ=wi うぇ=we うぉ=wo "
    "わ=wa つぁ=tsa つぇ=tse つぉ=tso つぃ=tsi る=ɾ す=s く=k と=t む=m ぐ=ɡ ど=d ぶ=b ぷ=p ふ=f ず=z う=w い=j "
    "ふ=h しゅ=ɕ ちゅ=tɕ じゅ=ʑ つ=ts",
    "ko": "ㅏ ㅗ ㅜ ㅣ ㅔ ㅓ=ʌ ㅓ=ə ㅡ ㅐ=ɛ ㅐ=æ ㅗ=ɔ ㅣ=ɪ ㅜ=ʊ ㅏ=ɑ ㅏ=ɐ ㅢ=ɰi ㅚ=ø ㅚ=œ ㅟ=y ㅑ=ja ㅕ=jʌ ㅕ=jə ㅛ=jo "
    "ㅠ=ju ㅖ=je ㅒ=jɛ ㅘ=wa ㅝ=wʌ ㅞ=we ㅟ=wi ㅋ=k ㅌ=t ㅍ=p ㄱ=ɡ ㄷ=d ㅂ=b ㄴ=n ㄹ=l ㄹ=r ㅁ=m ㅅ=s ㅅ=ʃ ㅅ=ɕ "
    "ㅈ=dʑ ㅈ=dʒ ㅈ=z ㅊ=tɕ ㅊ=tʃ ㅈ=tɕ ㅍ=f ㅂ=v ㅎ=h ㅎ=x ㅎ=ç ㄲ=kʼ ㄸ=tʼ ㅃ=pʼ ㅆ=sʼ ㅉ=tʼɕ ㅉ=tɕʼ ㅇ=ŋ ㅅ=θ "
    "ㄷ=ð ㅅㅡ=s ㅋㅡ=k ㅌㅡ=t ㅍㅡ=p ㄱㅡ=ɡ ㄷㅡ=d ㅂㅡ=b ㅍㅡ=f ㅂㅡ=v ㅈㅡ=z ㅎㅡ=x",
    "nl": "a=ɑ a=a e=ɛ i=ɪ o=ɔ u=ʏ aa=a aa=aː ee=e ee=eː oo=o oo=oː uu=y ie=i oe=u eu=ø eu=øː ui=œy ij=ɛj ou=ɑw e=ə e=e "
    "o=o b=b d=d f=f g=ɣ g=x h j k=k l=l m=m n=n ng=ŋ p=p r=r s=s sj=ʃ t=t w=ʋ w=w v z bb=b dd=d ff=f kk=k ll=l "
    "mm=m nn=n pp=p rr=r ss=s tt=t ch=x sch=sx tj=tʃ dj=dʒ k=ɡ g=ɡ",
    "pl": "a e=ɛ e=e i=i o=ɔ o=o u y=ɨ y=ɪ ą=ɔ̃ ę=ɛ̃ b c=ts ć=tɕ ci=tɕ cz=tʂ cz=tʃ d dz dź=dʑ dzi=dʑ dż=dʐ dż=dʒ f g ch=x "
    "h=h j k l ł=w m n ń=ɲ ni=ɲ p r s ś=ɕ si=ɕ sz=ʂ sz=ʃ t w=v z ź=ʑ zi=ʑ ż=ʐ ż=ʒ rz=ʐ i=ʝ u=ʊ a=ɑ a=ə n=ŋ t=θ "
    "d=ð e=œ e=ø i=y a=æ",
    "pt": "a=a e=e e=ɛ i=i o=o o=ɔ u=u ã=ã ão=ãw̃ ão=ãw õ=õ en=ẽ in=ĩ un=ũ em$=ẽ em$=ẽj̃ im$=ĩ um$=ũ ões$=õjs é=ɛ ê=e ó=ɔ "
    "ai ei eu ou oi b=b c=k qu=k ^s=s s$=s st=st sp=sp sc=sk ~ç=s ~ss=s d f g=ɡ gu=ɡ j=ʒ g=ʒ l lh=ʎ m n nh=ɲ p "
    "r=ɾ ^r=ʁ ~rr=ʁ s=z t v x=ʃ ch=ʃ z=z k=k o$=u i=j u=w i=ɪ u=ʊ e=ə h=h n=ŋ t=θ d=ð a=æ u=y e=ø s=ɕ s=s",
    "ru": "а о у и е=e ы э я=ja е=je ё=jo ю=ju я=ʝa ю=ʝu ё=ʝo б=b в=v г=ɡ д=d ж=ʒ ж=ʐ з=z й=j ь=ʝ к л м н п р с=s т=t "
    "ф=f х=x х=h ц=ts ч=tɕ ч=tʃ ш=ʂ ш=ʃ щ=ɕ дж=dʒ е=ɛ о=ɔ а=ɐ а=ə а=ɑ и=ɪ у=ʊ в=w нг=ŋ ть=c э=œ ю=y с=θ з=ð",
}  # fmt: skip

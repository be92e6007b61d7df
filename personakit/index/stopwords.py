"""Words too frequent to say what a text is about."""

from __future__ import annotations

from personakit.index.scripts import is_bare_letter

# `id`, `well`, `us` and the like are missing where they are also names of things.
_ENGLISH = """
a about after all also am an and any are as at be because been before being but by can cannot could did do does doing
down during each few for from further had has have having he her here hers herself him himself his how i if in into is
it its itself just me more most my myself no nor not of off on once only or other our ours ourselves out over own same
she should so some such t than that the their theirs them themselves then there these they this those through to too
under until up us very was we were what when where which while who whom whose why will with would you your yours
yourself yourselves
arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt
"""

# Particles, copulas, pronouns and question words, where characters and pairs are words.
_UNSEGMENTED = """
的 了 是 在 和 不 我 你 您 他 她 它 们 這 这 那 也 就 都 與 与 及 或 吗 嗎 呢 吧 啊 之 个 個 什 么 麼 怎 谁 誰 哪 有 為
什么 什麼 怎么 怎麼 我们 你们 他们 她们
です ます した して する いる ある ない から まで こと
은 는 이 가 을 를 에 의 도 와 과 로 으 다 고 니 요 하 서 지 까 게 나
"""

_BY_LANGUAGE = {
    "de": """
aber als am an auch auf aus bei beim bis da damit dann das dass dein dem den der des dich die dies diese diesem diesen
dieser dieses dir doch dort du durch ein eine einem einen einer eines er es euch euer für gegen hab habe haben hat hatte
hatten hier ich ihm ihn ihr ihre ihrem ihren ihrer im in ins ist jede jedem jeden jeder jedes kann kein keine keinen
können man mehr mein meine meinem meinen meiner mich mir mit nach nicht noch nur ob oder sehr sein seine seinem seinen
seiner seit sich sie sind so um und uns unser unter viel viele vom von vor wann war waren warum was wegen welche welchem
welchen welcher welches wem wen wenn wer werden wie wieder wir wird wo wurde wurden würde zu zum zur zwischen über
""",
    "es": """
al algo ante antes aquí como con contra cual cuales cuando cuál cuáles cuándo cuánto cuántos cómo de del desde donde
dónde durante e el ella ellas ellos en entre era eran es esa ese eso esta estaba este esto está están fue fueron ha han
hasta hay la las le les lo los me mi mis muy más ni no nos o para pero por porque que quien quién qué se ser si sin
sobre son su sus también te tiene tu tus tú un una unas uno unos y ya yo él
""",
    "fr": """
a ai alors au aussi aux avec c ce ces cet cette comment d dans de depuis des du elle elles en est et eu fut il ils j je
l la le les leur leurs lui m ma mais me mes moi mon même n ne nos notre nous on ont ou où par pas plus pour pourquoi qu
quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tu un une vos votre
vous y à ça été être
""",
    "it": """
a ad agli ai al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e ed era erano
essere fu gli ha hai hanno ho i il in io la le lei li lo loro lui ma mi mia mio ne nei nel nella no noi non o per
perché più qual quale quali quando quanti quanto quella quello questa questo se si sia sono sua suo sul sulla tra tu un
una uno vi voi è
""",
    "nl": """
aan al als bij dan dat de der deze die dit door een en er had heb heeft hem het hij hoe hun ik in is je kan maar me
meer met mij mijn na naar niet nog nu of om onder ons ook op over te tegen toen tot u uit van veel voor waar waarom was
wat welk welke wel werd wie wij worden ze zich zij zijn zo zou
""",
    "pt": """
a ao aos as até com como da das de dela dele do dos e ela elas ele eles em entre era eram essa esse esta este eu foi
foram há isso isto já lhe mais mas me meu minha muito na nas nem no nos não nós o onde os ou para pela pelas pelo pelos
por porque qual quais quando quanto que quem se sem ser seu seus sua suas são só também te tem teu tu um uma você à às é
""",
    "ru": """
а без был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть еще ещё же за и из или им
их к как какая какие какой какую ко когда который которая которые кто ли мне мной мои мой моя мы на над нам нас не него
нет ни них но о об он она они оно от по под при с сам со так также там то только ты у уже чего чем что чтобы эта эти
это этот я
""",
}

_EVERYWHERE = frozenset(_ENGLISH.split() + _UNSEGMENTED.split())
_ANYWHERE = _EVERYWHERE.union(*(words.split() for words in _BY_LANGUAGE.values()))


def stop_words(language: str) -> frozenset[str]:
    """Give the casefolded words that are left out, while there are others, where a language is the vault's."""
    return _EVERYWHERE.union(_BY_LANGUAGE.get(language, "").split())


def is_function_word(word: str) -> bool:
    """Whether a word is a stop word of any language: it is never taken for another one misspelt."""
    return word in _ANYWHERE or is_bare_letter(word)
